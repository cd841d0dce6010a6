"""Forms as a browser sends them back: hidden fields and all."""

import html
import re
from typing import Any

from starlette.testclient import TestClient


def hidden_fields(text: str) -> dict[str, str]:
    """The fields of a page's form that a person does not fill."""
    found = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', text))
    found |= dict(re.findall(r'<textarea name="(\w+)" hidden>\n?([^<]*)</textarea>', text))
    return {name: html.unescape(value) for name, value in found.items()}


def confirm(browser: TestClient, path: str, text: str, **changed: str) -> Any:
    """Send the form of a page that asks for confirmation; do not follow where it leads."""
    fields = hidden_fields(text) | changed
    return browser.post(path, data=fields, follow_redirects=False)


def filled_fields(text: str) -> dict[str, str]:
    """All fields of the last form of a page, as a browser sends them back when nothing is typed."""
    form = text.rpartition("<form")[2]
    found = dict(re.findall(r'<input [^>]*?name="(\w+)"[^>]*? value="([^"]*)"', form))
    found |= dict(re.findall(r'<textarea[^>]* name="(\w+)"[^>]*>\n?([^<]*)</textarea>', form))
    for name, options in re.findall(r'<select name="(\w+)">(.*?)</select>', form, re.DOTALL):
        chosen = re.findall(r"<option selected>(\w+)", options)
        found[name] = (chosen or re.findall(r"<option>(\w+)", options))[0]
    return {name: html.unescape(value).replace("\n", "\r\n") for name, value in found.items()}
