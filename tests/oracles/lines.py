"""What a line of a text is, one byte at a time."""


def slow_lines(content):
    """The lines of a text (bytes): list of bytes."""
    content = content[3:] if content.startswith(b"\xef\xbb\xbf") else content
    lines, line = [], b""
    for byte in content:
        if byte == 10:
            lines.append(line[:-1] if line.endswith(b"\r") else line)
            line = b""
        else:
            line += bytes([byte])
    return lines + [line] if line else lines
