// Reads pages as Alfa's own serialiser wrote them in the browser, one a line, and writes for each the worst outcome of
// each of Alfa's rules.
import { createInterface } from "node:readline";
import { Audit, Outcome } from "@siteimprove/alfa-act";
import { Device } from "@siteimprove/alfa-device";
import rules, { experimentalRules } from "@siteimprove/alfa-rules";
import { Page } from "@siteimprove/alfa-web";

const all = [...rules, ...Object.values(experimentalRules)];
const device = Device.standard().toJSON();

for await (const line of createInterface({ input: process.stdin })) {
  const { id, url, width, height, document } = JSON.parse(line);
  const answer = { id, rules: {}, error: "" };
  try {
    const page = Page.from({
      request: { method: "GET", url, headers: [], body: "" },
      response: { url, status: 200, headers: [], body: "" },
      document,
      device: { ...device, viewport: { ...device.viewport, width, height } },
    });
    if (page.isErr()) throw new Error(String(page.getErr()));
    for (const outcome of await Audit.of(page.getUnsafe(), all).evaluate()) {
      const rule = outcome.rule.uri.replace(/.*\//, "");
      const say = Outcome.isFailed(outcome) ? "failed" : Outcome.isPassed(outcome) ? "passed" : Outcome.isCantTell(outcome) ? "cantTell" : "inapplicable";
      const rank = ["inapplicable", "passed", "cantTell", "failed"];
      if (rank.indexOf(say) >= rank.indexOf(answer.rules[rule] ?? "inapplicable")) answer.rules[rule] = say;
    }
  } catch (e) {
    answer.error = String(e);
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
