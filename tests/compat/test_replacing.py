from types import SimpleNamespace

from fairseq_bytefusion.compat.replacing import replacing


class Library:
    @staticmethod
    def static(x):
        """What it does."""
        return x

    def method(self, x):
        return x


def one_more(original, *args):
    return original(*args) + 1


def test_a_function_is_replaced_once():
    module = SimpleNamespace(double=lambda x: 2 * x)
    for _ in range(2):
        replacing(module, "double")(one_more)
    assert module.double(3) == 7


def test_methods_stay_what_they_are():
    for name in ("static", "method"):
        replacing(Library, name)(one_more)
    assert Library.static(1) == Library().static(1) == Library().method(1) == 2
    assert Library.static.__doc__ == "What it does."
