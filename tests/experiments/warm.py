"""Commands on a PATH that start at once: a server that has imported torch forks for each.

A grid of experiments runs some fifty commands, each a fraction of a second long once it
has been imported. Started as

    python -m tests.experiments.warm FOLDER

it fills FOLDER with ``python``, ``fairseq-train`` and so on, which hand their streams,
arguments, environment and folder over, and ends when its standard input does.
"""

import json
import os
import selectors
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

from ..in_process import as_a_new_process, loaders_end, module, script

MODULES = {
    "fairseq-train": "fairseq_cli.train",
    "fairseq-generate": "fairseq_cli.generate",
    "bytefusion": "fairseq_bytefusion.cli",
}

# A #! line takes no path with a space: sh starts Python, which reads sh's part as a text.
CLIENT = """#!/bin/sh
''':'
exec "{python}" -IS "$0" "$@"
'''
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [b"+"], [0, 1, 2])
    request = {{"argv": sys.argv, "env": dict(os.environ), "cwd": os.getcwd()}}
    server.sendall(json.dumps(request).encode() + b"\\n")
    status = server.recv(1)
sys.exit(status[0] if status else "the command ended without a status")
"""


@contextmanager
def warm_commands(folder):
    """A server that fills ``folder`` (Path) with commands, while the context lasts."""
    repo = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "tests.experiments.warm", str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=repo
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        yield
        process.stdin.close()


def serve(folder):
    """Answer the commands of ``folder`` (Path) until standard input ends."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        listener.listen(16)
        for name in ("python", *MODULES):
            client = CLIENT.format(python=sys.executable, address=listener.getsockname())
            (folder / name).write_text(client)
            (folder / name).chmod(0o755)
        print("ready", flush=True)
        selector = selectors.DefaultSelector()
        for source in (listener, sys.stdin):
            selector.register(source, selectors.EVENT_READ)
        while all(key.fileobj is listener for key, _ in selector.select()):
            connection, _ = listener.accept()
            with connection:
                if os.fork() == 0:
                    os._exit(_answer(connection))
            _bury(os.WNOHANG)
    _bury()


def _bury(how=0):
    """Wait for the children that have ended, or for all of them."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, how)[0]:
            pass


def _answer(connection):
    """Be the command that a client asks for; returns its exit status."""
    for number, given in enumerate(socket.recv_fds(connection, 1, 3)[1]):
        os.dup2(given, number)
        os.close(given)
    sys.stdin, sys.stdout, sys.stderr = map(os.fdopen, (0, 1, 2), "rww")
    with connection.makefile("rb") as file:
        request = json.loads(file.readline())
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    path, *args = request["argv"]
    name = os.path.basename(path)
    if name == "python":
        start, argv = script(args[0]), args
        sys.path.insert(0, os.path.dirname(args[0]))
    else:
        start, argv = module(MODULES[name]), [MODULES[name], *args]
    with loaders_end():
        status = as_a_new_process(start, argv)
    connection.sendall(bytes([status]))
    return status


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
