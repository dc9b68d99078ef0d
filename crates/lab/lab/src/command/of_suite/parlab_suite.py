"""Plugin of pytest for `parlab suite`: lists the benchmarks of pytest-benchmark, or keeps the one that is measured."""

import json
import os

import pytest

LIST = os.environ.get("PARLAB_SUITE_LIST")
ONE = os.environ.get("PARLAB_SUITE_BENCHMARK")
FIXTURES = {"benchmark", "benchmark_weave"}

# Standard error, before pytest keeps what is written to it.
errors = os.dup(2)
broken = []
failed = []


def reason(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return str(crash.message).split("\n")[0]
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[-1])
    lines = [line for line in str(report.longrepr).splitlines() if line.strip()]
    return lines[-1].removeprefix("E ").strip() if lines else "it failed"


def pytest_ignore_collect(collection_path):
    """Leaves out the files without the benchmark."""
    if ONE is not None and collection_path.is_file():
        name = ONE.split("::")[0].rsplit("/")[-1]
        if collection_path.name not in (name, "__init__.py"):
            return True
    return None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    if ONE is not None:
        items[:] = [item for item in items if item.nodeid == ONE]


def pytest_collectreport(report):
    if report.failed:
        broken.append((report.nodeid, reason(report)))


def pytest_collection_finish(session):
    if LIST is None:
        return
    with open(LIST, "w", encoding="utf-8") as out:
        for item in session.items:
            if FIXTURES & set(getattr(item, "fixturenames", ())):
                mark = item.get_closest_marker("skip")
                skip = {} if mark is None else {"skip": f"skipped by its mark: {mark.kwargs.get('reason', '')}"}
                print(json.dumps({"benchmark": item.nodeid, **skip}), file=out)
        for name, why in broken:
            print(json.dumps({"benchmark": name, "skip": why}), file=out)


def pytest_runtest_logreport(report):
    if report.failed or report.skipped:
        failed.append(reason(report))


def pytest_unconfigure():
    for why in failed:
        os.write(errors, (why + "\n").encode())


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    # A file that is named and broken fails the run of a benchmark in another one.
    if ONE is not None and exitstatus == pytest.ExitCode.TESTS_FAILED and session.testsfailed == len(broken):
        session.exitstatus = pytest.ExitCode.OK
