"""Plugin of pytest for `parlab suite`: lists the benchmarks of pytest-benchmark, or keeps the one that is measured."""

import json
import os

import pytest
from _pytest import skipping

LIST = os.environ.get("PARLAB_SUITE_LIST")
ONE = os.environ.get("PARLAB_SUITE_BENCHMARK")
FIXTURES = {"benchmark", "benchmark_weave"}

# Standard error, before pytest keeps what is written to it.
errors = os.dup(2)
broken = []
failed = []
skipped = []


def reason(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return str(crash.message).split("\n")[0]
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[-1])
    lines = [line for line in str(report.longrepr).splitlines() if line.strip()]
    return lines[-1].removeprefix("E ").strip() if lines else "it failed"


@pytest.hookimpl(hookwrapper=True)
def pytest_cmdline_main(config):
    """Lets no pytest-xdist run tests in other processes, for which pytest-benchmark measures nothing."""
    if getattr(config.option, "numprocesses", None) or getattr(config.option, "dist", "no") != "no":
        config.option.numprocesses, config.option.dist, config.option.tx = None, "no", []
        os.write(errors, b"note: tests run in one process, without pytest-xdist (-n)\n")
    yield


def skip_reason(item):
    """Why the marks `skip` and `skipif` skip a test."""
    try:
        found = skipping.evaluate_skip_marks(item)
    except Exception:  # It fails again when it is measured, and says why.
        found = None
    return None if found is None else f"skipped: {found.reason}"


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
                reason = skip_reason(item)
                skip = {} if reason is None else {"skip": reason}
                print(json.dumps({"benchmark": item.nodeid, **skip}), file=out)
        for name, why in broken:
            print(json.dumps({"benchmark": name, "failed": why}), file=out)


def pytest_runtest_logreport(report):
    if report.failed:
        failed.append(reason(report))
    elif report.skipped:
        skipped.append(reason(report).removeprefix("Skipped: "))


def pytest_unconfigure(config):
    if ONE is not None and skipped:
        to = config.option.benchmark_json
        # Older versions of pytest-benchmark open it.
        with open(to if isinstance(to, os.PathLike) else to.name, "w", encoding="utf-8") as out:
            json.dump({"benchmarks": [{"fullname": ONE, "skipped": skipped[0]}]}, out)
    for why in failed:
        os.write(errors, (why + "\n").encode())


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    # A file that is named and broken fails the run of a benchmark in another one.
    if ONE is not None and exitstatus == pytest.ExitCode.TESTS_FAILED and session.testsfailed == len(broken):
        session.exitstatus = pytest.ExitCode.OK
