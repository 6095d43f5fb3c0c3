/**
 * The viewer's page: self-contained, light or dark as the system is. It writes what came as text only, never as HTML, for
 * a webhook carries what strangers wrote.
 */
export const viewerPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Webhooks · Waxwing dev</title>
<style>
  :root { color-scheme: light dark; --edge: light-dark(#d8dce2, #363c46); --soft: light-dark(#5a6472, #9aa5b4);
    --good: light-dark(#17734a, #5fd39b); --bad: light-dark(#b3261e, #ff8a80); --sheet: light-dark(#fff, #1d2127); }
  body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem; font: 15px/1.5 system-ui, sans-serif;
    background: light-dark(#f5f6f8, #14171b); color: light-dark(#1b1f24, #e6e9ee); }
  h1 { font-size: 1.2rem; margin: 0; }
  p { margin: .2rem 0 1rem; color: var(--soft); }
  details { margin: .5rem 0; border: 1px solid var(--edge); border-radius: 6px; background: var(--sheet); }
  summary { padding: .5rem .75rem; cursor: pointer; display: flex; gap: .75rem; flex-wrap: wrap; align-items: baseline; }
  summary b { flex: 1; overflow-wrap: anywhere; }
  summary span { color: var(--soft); font-variant-numeric: tabular-nums; }
  summary .good { color: var(--good); } summary .bad { color: var(--bad); }
  pre { margin: 0; padding: .75rem; border-top: 1px solid var(--edge); overflow: auto; font-size: 13px; }
</style>
</head>
<body>
<h1>Webhooks</h1>
<p id="state" role="status">Waiting for the first one.</p>
<main id="events"></main>
<script>
  const shown = new Map();
  const events = document.getElementById("events");
  const state = document.getElementById("state");
  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.textContent = text;
    return made;
  }
  function show(event) {
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    summary.append(
      element("span", "", "#" + event.number),
      element("b", "", event.type),
      element("span", event.elsewhere ? "" : event.distrust ? "bad" : "good", event.elsewhere || event.distrust || "signature right"),
      element("span", "", new Date(event.at).toLocaleTimeString()));
    details.append(summary, element("pre", "", "Service-Signature: " + event.signature + "\\n\\n" + event.body));
    return details;
  }
  async function refresh() {
    try {
      const answer = await (await fetch("/events.json")).json();
      for (const event of [...answer.events].reverse()) {
        if (shown.has(event.number)) continue;
        const details = show(event);
        shown.set(event.number, details);
        events.prepend(details);
      }
      const kept = new Set(answer.events.map((event) => event.number));
      for (const [number, details] of shown) if (!kept.has(number)) { details.remove(); shown.delete(number); }
      if (answer.count > 0) state.textContent = answer.count + " received, the newest first.";
    } catch {
      state.textContent = "waxwing dev does not answer; was it stopped?";
    }
    setTimeout(refresh, 1000);
  }
  refresh();
</script>
</body>
</html>
`;
