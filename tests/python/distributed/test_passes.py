# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Passes of users over lists of static programs, and groups that are closed and opened again."""

import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed.passes import PassContext, PassManager, new_pass
from paddle.distributed.passes.pass_base import PassBase, register_pass


@register_pass("test_add_one")
class AddOne(PassBase):
    def _check_self(self):
        return self.get_attr("by", 1) != 0

    def _check_conflict(self, other_pass):
        return not isinstance(other_pass, AddOne)

    def _apply_single_impl(self, main_program, startup_program, context):
        with paddle.static.program_guard(main_program, startup_program):
            x = main_program.global_block().ops[-1].results()[0]
            context.set_attr("result", x + self.get_attr("by", 1))


def recorded():
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        paddle.full([2], 3.0)
    return main, startup


def test_passes_change_programs_in_order():
    paddle.enable_static()
    try:
        main, startup = recorded()
        manager = PassManager([new_pass("test_add_one", {"by": 2}), new_pass("test_add_one")])
        assert manager.names == ["test_add_one"] and len(manager.passes) == 1
        context = manager.apply([main], [startup])
        (value,) = paddle.static.Executor().run(main, fetch_list=[context.get_attr("result")])
        assert value.tolist() == [5.0, 5.0] and context.passes == list(manager.passes) and manager.context is context
        assert context.get_attr("other", 7) == 7
        left_out = new_pass("test_add_one", {"by": 0}).apply([main], [startup], PassContext())
        assert left_out.passes == []
    finally:
        paddle.disable_static()


def test_what_passes_refuse():
    with pytest.raises(AssertionError, match="is not registered"):
        new_pass("no_such_pass")
    with pytest.raises(AssertionError, match="already"):
        register_pass("test_add_one")(AddOne)
    with pytest.raises(ValueError, match="may not come after"):
        PassManager([AddOne(), AddOne()], auto_solve_conflict=False)


def test_a_group_of_one_is_closed_and_opened():
    dist.init_parallel_env()
    group = dist.new_group([0])
    assert dist.shutdown_process_group(group) is None and dist.restart_process_group() is None
    dist.destroy_process_group(group)
    with pytest.raises(ValueError, match="does not exist"):
        dist.restart_process_group(group)
