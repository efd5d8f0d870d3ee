// Sends, as the client that the conformance suite starts, the scenario to our process, where an environment plays it, so that the
// sources are loaded only once: node play.mjs PORT URL.
const [port, url] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context } = process.env;
const body = JSON.stringify({ url, scenario, context: JSON.parse(context ?? '{}') });
const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body });
console.log(await answer.text());
process.exitCode = answer.ok ? 0 : 1;
