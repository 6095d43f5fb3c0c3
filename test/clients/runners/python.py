# Runs the script with the Python client: python python.py CLIENT SCRIPT BASE_URL KEY. Prints a line for each step.
import hashlib
import json
import re
import sys

client, script, base_url, key = sys.argv[1:]
sys.path.insert(0, client)
import waxwing as wx  # noqa: E402

api = wx.Waxwing(base_url, key, timeout=10, retry_delay=0.005, max_retry_after=1.5)
results = {}


def snake(name):
    return re.sub("[A-Z]", lambda match: "_" + match[0].lower(), name)


def filled(value):
    if isinstance(value, str):
        match = re.fullmatch(r"\{\{(.+)\}\}", value)
        if match is None:
            return value
        found = results
        for name in match[1].split("."):
            found = found[int(name)] if isinstance(found, list) else found[name]
        return found
    if isinstance(value, list):
        return [filled(item) for item in value]
    if isinstance(value, dict):
        return {name: filled(member) for name, member in value.items()}
    return value


def run(step):
    name, args = step["call"], filled(step.get("args", {}))
    if name == "readWebhook":
        return {"event": wx.read_webhook(args["body"].encode(), args["header"], args["secret"], args["now"])}
    given = step.get("options", {})
    options = {"request_id": step["id"]}
    if "idempotencyKey" in given:
        options["idempotency_key"] = given["idempotencyKey"]
    if "timeoutMs" in given:
        options["timeout"] = given["timeoutMs"] / 1000
    if "maxRetries" in given:
        options["max_retries"] = given["maxRetries"]
    query = args.pop("query", {})
    if "range" in args:
        options["byte_range"] = args.pop("range")
    values = list(args.values())
    if name == "uploadMedia":
        values[0] = values[0].encode()
    if step.get("iterate"):
        entries = getattr(api, snake(re.sub("^(list|get)", "iterate", name)))(*values, **query, **options)
        pairs = [(entry, entries.cursor) for entry in entries]
        meta = {"cursors": [cursor for _, cursor in pairs], "next": entries.cursor}
        return {"data": [entry for entry, _ in pairs], "meta": meta}
    answer = getattr(api, snake(name))(*values, **query, **options)
    if isinstance(answer, wx.MediaFile):
        digest = hashlib.sha256(answer.content).hexdigest()
        file = {"bytes": len(answer.content), "sha256": digest}
        return {"file": {**file, "content_type": answer.content_type, "status": answer.status}}
    return {"data": answer.data, "meta": answer.meta} if isinstance(answer, wx.ApiList) else {"data": answer}


for step in json.load(open(script, encoding="utf-8"))["steps"]:
    try:
        result = run(step)
    except wx.WebhookError:
        result = {"error": {"kind": "webhook"}}
    except wx.WaxwingConnectionError as error:
        result = {"error": {"kind": "connection", "request_id": error.request_id, "key": error.idempotency_key}}
    except wx.WaxwingError as error:
        traced = {"status": error.status, "request_id": error.request_id, "key": error.idempotency_key}
        result = {"error": {"kind": "api", **traced, **error.error}}
    results[step["id"]] = result
    print(json.dumps({"id": step["id"], **result}), flush=True)
