"""The environment check says what is missing, and what to do about it."""

from importlib.metadata import PackageNotFoundError

from minigrad_course.learner import environment


def versions(**given):
    def version(name):
        if given.get(name) is None:
            raise PackageNotFoundError(name)
        return given[name]

    return version


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch, capsys):
    monkeypatch.setattr(
        environment, "version", versions(torch="2.13.0", numpy="2", matplotlib="3", jupyterlab="4", nbval="0")
    )
    environment.check()
    printed = capsys.readouterr().out
    assert "✗ ipywidgets is missing: pip install ipywidgets" in printed
    assert "both print" not in printed


def test_another_torch_is_named_with_the_one_to_install(monkeypatch):
    monkeypatch.setattr(environment, "version", versions(torch="2.11.1"))
    assert environment.torch() == (
        "✗ torch is 2.11.1, but the course was checked on 2.13, 2.14 and 2.15: pip install torch==2.13.0"
    )
    monkeypatch.setattr(environment, "version", versions())
    assert environment.torch() == "✗ torch is missing: pip install torch==2.13.0"
    monkeypatch.setattr(environment, "version", versions(torch="2.13.0+cpu"))
    assert environment.torch() == "✓ torch 2.13 or newer"
    monkeypatch.setattr(environment, "version", versions(torch="2.15.0"))
    assert environment.torch() == "✓ torch 2.13 or newer"
    assert environment.torch(exact=True) == "✓ torch 2.15.0"
    monkeypatch.setattr(environment, "version", versions(torch="2.16.0"))
    assert environment.torch().startswith("✗ torch is 2.16.0")
