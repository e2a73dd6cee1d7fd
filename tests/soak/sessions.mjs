// More seeds of the random sessions: `npm run soak -- sessions`; STEERSMAN_FROM says which is the first.
import * as steersman from "steersman";
import * as session from "steersman/session";
import { Report } from "../../scripts/common.mjs";
import { playSeeds } from "../session/live/random.mjs";

const COUNT = 2000;
const from = Number(process.env.STEERSMAN_FROM ?? 0) + 1;
const report = new Report();
await report.attempt(`seeds ${from} to ${from + COUNT - 1}`, async () => {
  const compactions = await playSeeds({ steersman, session }, from, COUNT);
  console.log(`figures: ${COUNT} random sessions, ${compactions} compactions`);
});
report.finish();
