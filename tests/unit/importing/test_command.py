"""The command itself against the simulated cloud: what it prints, writes and refuses, and how it ends."""

from __future__ import annotations

import asyncio
import io

import pytest
import yaml

from hooks import stack
from hooks.__main__ import main
from hooks.clock import SystemClock
from hooks.http import AsyncClient
from hooks.simulator import Simulator
from tests.world.foreign import furnished
from tests.world.loopback import Loopback

SECRET = "aruba-local-secret"


class Site:
    """A furnished project, and the environment that leads the command to it."""

    def __init__(self):
        self.simulator = Simulator(SystemClock())
        self.world = asyncio.run(self._furnish())
        self.project = self.world.project

    def client(self):
        return AsyncClient(transport=Loopback({"cloud.test": self.simulator.app}), base_url="http://cloud.test")

    async def _furnish(self):
        async with self.client() as http:
            return await furnished(http, server=False)

    def admin(self, method, path, body=None):
        async def ask():
            async with self.client() as http:
                self.world.http = http
                return await self.world.admin(method, path, body)

        return asyncio.run(ask())

    def calls(self):
        return [call for call in self.admin("GET", "calls?since=0") if "/projects" in call["path"]]


@pytest.fixture
def site(monkeypatch):
    made = Site()
    monkeypatch.setattr(stack, "pool", made.client)
    monkeypatch.setenv("ARUBA_API_GATEWAY", "http://cloud.test")
    monkeypatch.setenv("ARUBA_KEYCLOAK_URL", "http://cloud.test/auth")
    monkeypatch.setenv("ARUBA_CLIENT_ID", "aruba-local")
    monkeypatch.setenv("ARUBA_CLIENT_SECRET", SECRET)
    return made


def ended(capsys, *words):
    code = main(["import", *words])
    out, err = capsys.readouterr()
    assert SECRET not in out + err
    return code, out, err


def test_a_stream_on_stdout_with_reads_only(site, capsys):
    code, out, err = ended(capsys, "--project", site.project, "--namespace", "shop", "--tenant", "ARU-1")
    documents = [one for one in yaml.safe_load_all(out) if one]
    assert (code, err) == (0, "")
    assert len(documents) == len(site.admin("GET", "state")["resources"]) == 19
    assert documents[0]["kind"] == "Project"
    assert {one["metadata"]["namespace"] for one in documents} == {"shop"}
    assert {one["spec"]["tenant"] for one in documents} == {"ARU-1"}
    assert "the default VPC" in out
    assert {call["method"] for call in site.calls()} == {"GET"}


def test_what_is_left_out_is_told_twice_and_ends_with_1(site, capsys):
    site.admin("POST", f"resources/{site.world.id('KeyPair', 'Ops-Laptop')}", {"properties": {"value": None}})
    site.admin("POST", f"resources/{site.world.id('ElasticIP', 'Spare-Ip')}", {"state": "Failed"})
    code, out, err = ended(capsys, "--project", site.project)
    lines = err.splitlines()
    assert (code, len(lines)) == (1, 2)
    assert all(f"# {line}\n" in out for line in lines)
    assert lines[0].startswith("ElasticIP Spare-Ip (")
    assert "is left out: the cloud reports Failed" in lines[0]
    assert not [one for one in yaml.safe_load_all(out) if one and one["kind"] == "KeyPair"]


def test_a_file_for_each_object(site, capsys, tmp_path):
    folder = tmp_path / "made" / "here"
    code, out, err = ended(capsys, "--project", site.project, "--output", str(folder))
    assert (code, out) == (0, "")
    assert f"kubectl apply -f {folder}" in err
    files = sorted(path.name for path in folder.iterdir())
    assert len(files) == 19
    assert {"project-shop-prod.yaml", "vpc-shop-net.yaml", "securityrule-any-out.yaml"} <= set(files)
    assert yaml.safe_load((folder / "vpc-shop-net.yaml").read_text())["kind"] == "VPC"


def test_files_are_not_written_over_unless_told(site, capsys, tmp_path):
    (tmp_path / "vpc-shop-net.yaml").write_text("mine")
    code, _, err = ended(capsys, "--project", site.project, "--output", str(tmp_path))
    assert (code, err.count("\n")) == (2, 1)
    assert "vpc-shop-net.yaml is there already" in err
    assert [path.name for path in tmp_path.iterdir()] == ["vpc-shop-net.yaml"]
    assert ended(capsys, "--project", site.project, "--output", str(tmp_path), "--force")[0] == 0
    assert "mine" not in (tmp_path / "vpc-shop-net.yaml").read_text()


def test_what_is_left_out_has_a_file_that_kubectl_does_not_read(site, capsys, tmp_path):
    site.admin("POST", f"resources/{site.world.id('ElasticIP', 'Spare-Ip')}", {"state": "Deleting"})
    assert ended(capsys, "--project", site.project, "--output", str(tmp_path))[0] == 1
    assert "Spare-Ip" in (tmp_path / "left-out.txt").read_text()
    site.admin("POST", f"resources/{site.world.id('ElasticIP', 'Spare-Ip')}", {"state": "NotUsed"})
    assert ended(capsys, "--project", site.project, "--output", str(tmp_path), "--force")[0] == 0
    assert not (tmp_path / "left-out.txt").exists()


def test_a_directory_that_cannot_be(site, capsys, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = ended(capsys, "--project", site.project, "--output", str(tmp_path / "file" / "inside"))
    assert (code, err.count("\n")) == (2, 1)
    assert "--output" in err


@pytest.mark.parametrize("project", ["f" * 24, "../secrets", "Shop Prod"])
def test_a_project_that_is_not_there(site, capsys, project):
    code, out, err = ended(capsys, "--project", project)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert project in err


def test_an_unknown_project_is_said_to_be_unknown(site, capsys):
    assert (
        "is not there: it does not exist, or these credentials do not see it" in ended(capsys, "--project", "f" * 24)[2]
    )


def test_settings_come_from_files_as_for_serve(site, capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("ARUBA_CLIENT_SECRET")
    code, out, err = ended(capsys, "--project", site.project)
    assert (code, out) == (2, "")
    assert err.startswith("client-secret: missing")
    (tmp_path / "client-secret").write_text(SECRET)
    assert ended(capsys, "--project", site.project, "--secret-dir", str(tmp_path))[0] == 0


def test_wrong_credentials(site, capsys, monkeypatch):
    monkeypatch.setenv("ARUBA_CLIENT_ID", "nobody")
    code, out, err = ended(capsys, "--project", site.project)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "client" in err.lower()


def test_a_namespace_that_cannot_be(site, capsys):
    code, _, err = ended(capsys, "--project", site.project, "--namespace", "Shop_1")
    assert (code, err.count("\n")) == (2, 1)
    assert "Shop_1" in err


def test_a_reader_that_leaves_early_is_no_traceback(site, capsys, monkeypatch, tmp_path):
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

        def fileno(self):
            return file.fileno()

    with (tmp_path / "stdout").open("w") as file:
        monkeypatch.setattr("sys.stdout", Closed())
        assert main(["import", "--project", site.project]) == 2
    assert "stopped before its end" in capsys.readouterr().err


def test_a_project_is_asked_for(capsys):
    with pytest.raises(SystemExit) as out:
        main(["import"])
    assert out.value.code == 2
    assert "--project" in capsys.readouterr().err
