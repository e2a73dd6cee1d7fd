// tests/*.rs in headless Chromium: the JS layer as Rust sees it, and what a page or a worker in Rust uses, against a
// server that follows a script.
import { serveScripts } from "../../tests/transport/server.mjs";
import { Report, run, useTools, which } from "../common.mjs";

useTools();
// The tests are compiled with the address, so the port is the same where possible.
const server = await serveScripts(41_977);
const driver = process.env.CHROMEDRIVER ?? which("chromedriver");
const args = ["test", "--headless", "--chrome", "--chromedriver", driver, "--mode", "no-install", "--"];
const report = new Report();
for (const tests of [
  ["--features", "js", "--test", "web"],
  ["--features", "web", "--test", "window", "--test", "worker"],
]) {
  const { code, out } = await run("wasm-pack", [...args, ...tests], {
    show: true,
    env: {
      // The runner's own limits are for one test binary on a quick machine.
      WASM_BINDGEN_TEST_TIMEOUT: "120",
      WASM_BINDGEN_TEST_DRIVER_TIMEOUT: "60",
      STEERSMAN_SCRIPTS: `http://127.0.0.1:${server.address().port}`,
    },
  });
  const results = [...out.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed/gm)];
  for (const [, passed, failed] of results) report.add(Number(passed), Number(failed));
  report.check(code === 0 || report.failed > 0, `wasm-pack test ${tests.join(" ")}`, `exit ${code}`);
}
server.closeAllConnections();
server.close();
report.finish();
