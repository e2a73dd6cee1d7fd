// Chromium, Firefox and WebKit as programs of their own that open a page with a fresh profile: for pages that report to
// the server they came from. No driver is between.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromiumFlags, chromiumPath } from "./browser.mjs";

/** Settings of Firefox: nothing but the page. */
const quiet = {
  "browser.shell.checkDefaultBrowser": false,
  "browser.aboutwelcome.enabled": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "app.update.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "toolkit.startup.max_resumed_crashes": -1,
};

const libraries = "/usr/lib";

/** MiniBrowser of WebKitGTK lies beside its libraries. */
function miniBrowser() {
  const places = readdirSync(libraries)
    .filter((name) => name.includes("-linux-gnu"))
    .flatMap((arch) => ["4.1", "4.0"].map((api) => `${libraries}/${arch}/webkit2gtk-${api}/MiniBrowser`));
  const found = places.find((file) => existsSync(file));
  if (found) return found;
  throw new Error("no MiniBrowser of WebKitGTK: node scripts/setup.mjs webkit");
}

const engines = {
  chromium: (profile, url) => [
    chromiumPath(),
    ["--headless", ...chromiumFlags, `--user-data-dir=${profile}`, "--remote-debugging-port=0", url],
  ],
  firefox: (profile, url) => {
    const lines = Object.entries(quiet).map(
      ([key, value]) => `user_pref("${key}", ${JSON.stringify(value)});\n`,
    );
    writeFileSync(join(profile, "user.js"), lines.join(""));
    const firefox = process.env.STEERSMAN_FIREFOX ?? "firefox-esr";
    return [firefox, ["--headless", "--no-remote", "--profile", profile, url]];
  },
  // It hangs without a display; its folders are where the environment says.
  webkit: (_, url) => ["xvfb-run", ["-a", "timeout", "300", miniBrowser(), url]],
};

/**
 * Starts an engine on a page. `stop` ends all of its processes at once (SIGKILL) and, unless the profile is given by the
 * caller, removes the profile.
 */
export function startEngine(name, url, { profile } = {}) {
  const folder = profile ?? mkdtempSync(join(tmpdir(), `steersman-${name}-`));
  const [command, args] = engines[name](folder, url);
  const env = { ...process.env, HOME: folder };
  for (const kind of ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"]) {
    env[kind] = join(folder, kind);
    mkdirSync(env[kind], { recursive: true, mode: 0o700 });
  }
  const child = spawn(command, args, { detached: true, stdio: ["ignore", "pipe", "pipe"], env });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data) => {
      output = (output + data).slice(-4000);
    });
  const ended = new Promise((done) => {
    child.on("exit", done);
    child.on("error", (error) => {
      output += error.message;
      done();
    });
  });
  return {
    output: () => output,
    ended,
    async stop() {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {} // It has ended.
      await ended;
      // A process that is being ended may still write.
      if (!profile) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
