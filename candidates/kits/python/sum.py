"""The sum of a file's bytes, as a candidate for the workload `sum`."""

import parlab


def prepare(params, threads, input):
    with open(input, "rb") as file:
        return file.read()


def work(data):
    return sum(data)


def output(total):
    return total.to_bytes(8, "little")


parlab.run("python", "sum", prepare, work, output)
