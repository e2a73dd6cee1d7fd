// Fuzzes every decoder, reader and builder of the wire crate: `npm run fuzz -- --minutes N` (per target, default 1),
// `--seed S` to begin where an earlier run did. See fuzz/main.rs.
import { Report } from "./common.mjs";

const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
};

const minutes = Number(option("minutes", "1"));
const seed = option("seed");
const env = {
  STEERSMAN_FUZZ_SECONDS: String(Math.ceil(minutes * 60)),
  ...(seed && { STEERSMAN_FUZZ_SEED: seed }),
};
const args = ["test", "-p", "steersman-wire", "--profile", "fuzz", "--test", "fuzz", "--", "--nocapture"];
const report = new Report();
await report.command("fuzz", "cargo", args, { env, show: true, seconds: minutes * 60 * 20 + 900 });
report.finish();
