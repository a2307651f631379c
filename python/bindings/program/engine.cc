// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `_core.engine`: the engine of inference/engine, as paddle.llm drives it.
#include "inference/engine/engine.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "python/bindings/base/errors.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/program/program.h"

namespace paddle::bindings {
namespace {

using engine::Engine;
using engine::EngineOptions;
using engine::EngineStats;
using engine::Finish;
using engine::Piece;
using engine::Request;
using engine::Sampling;
using engine::Vocabulary;

// A constraint that Python knows by a number. It holds nothing of Python's, so the engine's thread
// may end it without Python's lock.
struct NumberedConstraint : engine::Constraint {
  explicit NumberedConstraint(int64_t n) : number(n) {}
  int64_t number;
};

// Calls make_masks([(number of the constraint, answer, tokens, address of the row), ...], words),
// which returns a text for each row, "" or why the answer cannot go on.
engine::MaskMaker mask_maker(const py::object& make_masks) {
  if (make_masks.is_none()) return nullptr;
  return [make_masks](std::span<engine::ConstrainedRow> rows, int64_t words) {
    const py::gil_scoped_acquire acquired;
    py::list asked;
    for (const engine::ConstrainedRow& row : rows) {
      const auto& constraint = static_cast<const NumberedConstraint&>(*row.constraint);
      asked.append(py::make_tuple(constraint.number, row.answer,
                                  std::vector<int32_t>(row.tokens.begin(), row.tokens.end()),
                                  reinterpret_cast<uintptr_t>(row.allowed)));
    }
    try {
      const auto errors = make_masks(asked, words).cast<std::vector<std::string>>();
      PADDLE_CHECK_VALUE(errors.size() == rows.size(), "Engine: make_masks returned ",
                         errors.size(), " texts for ", rows.size(), " rows.");
      for (size_t i = 0; i < rows.size(); ++i) rows[i].error = errors[i];
    } catch (const py::error_already_set& e) {
      for (engine::ConstrainedRow& row : rows) row.error = e.what();
    }
  };
}

// The engine's thread may be waiting for Python's lock.
struct CloseWithoutLock {
  void operator()(Engine* e) const {
    {
      const py::gil_scoped_release released;
      e->close();
    }
    delete e;
  }
};

py::object finish_name(Finish finish) {
  switch (finish) {
    case Finish::kNone:
      return py::none();
    case Finish::kStop:
      return py::str("stop");
    case Finish::kLength:
      return py::str("length");
    case Finish::kCancelled:
      return py::str("cancelled");
    case Finish::kError:
      return py::str("error");
  }
  return py::none();
}

// (request, index, text, tokens, log_probs, finish, error, cached_tokens); log_probs: (token,
// log_prob, ((token, log_prob), ...)) of each token.
py::tuple piece_tuple(const Piece& p) {
  py::tuple tokens(p.tokens.size()), probs(p.log_probs.size());
  for (size_t i = 0; i < p.tokens.size(); ++i) tokens[i] = p.tokens[i];
  for (size_t i = 0; i < p.log_probs.size(); ++i) {
    const engine::TokenLogProb& t = p.log_probs[i];
    py::tuple best(t.best.size());
    for (size_t k = 0; k < t.best.size(); ++k) {
      best[k] = py::make_tuple(t.best[k].first, t.best[k].second);
    }
    probs[i] = py::make_tuple(t.token, t.log_prob, best);
  }
  return py::make_tuple(p.request, p.index, py::str(p.text), tokens, probs, finish_name(p.finish),
                        p.error, p.cached_tokens);
}

py::dict stats_dict(const EngineStats& s) {
  py::dict d;
  d["waiting"] = s.waiting;
  d["running"] = s.running;
  d["requests"] = s.counts.requests;
  d["prompt_tokens"] = s.counts.prompt_tokens;
  d["cached_prompt_tokens"] = s.counts.cached_prompt_tokens;
  d["generated_tokens"] = s.counts.generated_tokens;
  d["preemptions"] = s.counts.preemptions;
  d["drafts"] = s.counts.drafts;
  d["accepted_drafts"] = s.counts.accepted_drafts;
  d["steps"] = s.steps;
  d["step_tokens"] = s.step_tokens;
  d["step_seconds"] = s.step_seconds;
  d["cache_blocks"] = s.blocks;
  d["cache_blocks_used"] = s.blocks_used;
  d["cache_blocks_shared"] = s.blocks_shared;
  return d;
}

void bind_requests(py::module_& m) {
  py::class_<Request>(m, "Request")
      .def(py::init<>())
      .def_readwrite("prompt", &Request::prompt)
      .def_readwrite("max_tokens", &Request::max_tokens)
      .def_readwrite("answers", &Request::answers)
      .def_readwrite("stop", &Request::stop)
      .def_readwrite("stop_tokens", &Request::stop_tokens)
      .def_readwrite("ignore_end", &Request::ignore_end)
      .def_readwrite("adapter_slot", &Request::adapter_slot)
      .def_readwrite("adapter", &Request::adapter)
      .def("constrain",
           [](Request& r, int64_t number) {
             r.constraint = std::make_shared<NumberedConstraint>(number);
           })
      .def_readwrite("sampling", &Request::sampling);
  py::class_<Sampling>(m, "Sampling")
      .def(py::init<>())
      .def_readwrite("temperature", &Sampling::temperature)
      .def_readwrite("top_k", &Sampling::top_k)
      .def_readwrite("top_p", &Sampling::top_p)
      .def_readwrite("min_p", &Sampling::min_p)
      .def_readwrite("presence_penalty", &Sampling::presence_penalty)
      .def_readwrite("frequency_penalty", &Sampling::frequency_penalty)
      .def_readwrite("repetition_penalty", &Sampling::repetition_penalty)
      .def_readwrite("logit_bias", &Sampling::logit_bias)
      .def_readwrite("seed", &Sampling::seed)
      .def_readwrite("log_probs", &Sampling::log_probs);
  py::class_<Vocabulary>(m, "Vocabulary")
      .def(py::init([](const std::vector<py::bytes>& tokens, std::vector<int32_t> end_tokens,
                       bool strips_first_space) {
        Vocabulary v;
        v.starts.push_back(0);
        for (const py::bytes& token : tokens) {
          v.bytes += std::string_view(token);
          v.starts.push_back(static_cast<uint32_t>(v.bytes.size()));
        }
        v.end_tokens = std::move(end_tokens);
        v.strips_first_space = strips_first_space;
        return v;
      }))
      .def("__len__", &Vocabulary::size);
}

}  // namespace

void bind_engine(PyObject* module) {
  py::module_ root = py::reinterpret_borrow<py::module_>(module);
  py::module_ m = root.def_submodule("engine", "Language models that answer many requests.");
  bind_requests(m);
  // A tensor whose memory is not written, so that a system that gives pages at their first use
  // gives none yet.
  m.def("untouched", [](const std::vector<int64_t>& extents, const py::object& dtype) {
    return translated([&] {
      const Shape shape(extents.begin(), extents.end());
      return py::reinterpret_steal<py::object>(wrap(Tensor::empty(shape, dtype_of(dtype))));
    });
  });
  py::class_<EngineOptions>(m, "Options")
      .def(py::init([](int64_t max_batch, int64_t max_step_tokens, int64_t max_length,
                       int64_t draft_tokens, int64_t max_queue, int64_t block_size) {
             EngineOptions o;
             o.limits = {max_batch, max_step_tokens, max_length, draft_tokens};
             o.max_queue = max_queue;
             o.block_size = block_size;
             return o;
           }),
           py::kw_only(), py::arg("max_batch"), py::arg("max_step_tokens"), py::arg("max_length"),
           py::arg("draft_tokens"), py::arg("max_queue"), py::arg("block_size"));
  py::class_<Engine, std::unique_ptr<Engine, CloseWithoutLock>>(m, "Engine")
      .def(py::init([](std::shared_ptr<pir::Executable> program, const py::sequence& cache,
                       const Vocabulary& vocabulary, const EngineOptions& options,
                       const py::object& make_masks, std::shared_ptr<pir::Executable> adapted,
                       std::shared_ptr<pir::Executable> draft, const py::sequence& draft_cache) {
             return translated([&] {
               return std::unique_ptr<Engine, CloseWithoutLock>(new Engine(
                   std::move(program), tensors(cache), vocabulary, options, mask_maker(make_masks),
                   std::move(adapted), {std::move(draft), tensors(draft_cache)}));
             });
           }),
           py::arg("program"), py::arg("cache"), py::arg("vocabulary"), py::arg("options"),
           py::arg("make_masks") = py::none(),
           py::arg("adapted") = std::shared_ptr<pir::Executable>(),
           py::arg("draft") = std::shared_ptr<pir::Executable>(),
           py::arg("draft_cache") = py::list())
      // The id of the request; 0: too many wait.
      .def("submit",
           [](Engine& e, const Request& request) {
             return translated([&] { return e.submit(request); });
           })
      .def("cancel", &Engine::cancel, py::call_guard<py::gil_scoped_release>())
      .def("forget", &Engine::forget)
      .def("poll",
           [](Engine& e, double seconds) {
             std::vector<Piece> pieces;
             {
               const py::gil_scoped_release released;
               pieces = e.poll(seconds);
             }
             py::list out;
             for (const Piece& p : pieces) out.append(piece_tuple(p));
             return out;
           })
      .def("stats", [](const Engine& e) { return stats_dict(e.stats()); })
      .def("close", &Engine::close, py::call_guard<py::gil_scoped_release>())
      .def_property_readonly("is_closed", &Engine::is_closed);
}

}  // namespace paddle::bindings
