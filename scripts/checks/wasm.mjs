// tests/web.rs in headless Chromium: the JS layer as Rust sees it.
import { Report, run, useTools, which } from "../common.mjs";

useTools();
const driver = process.env.CHROMEDRIVER ?? which("chromedriver");
const args = ["test", "--headless", "--chrome", "--chromedriver", driver, "--mode", "no-install"];
const { code, out } = await run("wasm-pack", [...args, "--", "--features", "js", "--test", "web"], {
  show: true,
  // The runner's own limits are for one test binary on a quick machine.
  env: { WASM_BINDGEN_TEST_TIMEOUT: "120", WASM_BINDGEN_TEST_DRIVER_TIMEOUT: "60" },
});
const report = new Report();
for (const [, passed, failed] of out.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed/gm)) {
  report.add(Number(passed), Number(failed));
}
report.check(code === 0 || report.failed > 0, "wasm-pack test", `exit ${code}`);
report.finish();
