import { button, byId, h } from "../dom.js";
import { announce } from "./announcer.js";

/** Something to do about it. */
export interface BannerAction {
  label: string;
  act(): void;
}

/** What stands above the conversation. */
export interface BannerContent {
  kind: "info" | "bad";
  title: string;
  advice: string;
  actions: readonly BannerAction[];
}

/** One message about the conversation as a whole, above it: where it is kept, and why not. */
export class Banner {
  private readonly place = byId("banner");
  private said = "";

  /** Shows something, or nothing. The same again changes nothing. */
  show(content: BannerContent | undefined): void {
    const saying = JSON.stringify(content ?? "");
    if (saying === this.said) return;
    this.said = saying;
    const hadFocus = this.place.contains(document.activeElement);
    this.place.replaceChildren(...(content ? [draw(content)] : []));
    if (content) announce(`${content.title}. ${content.advice}`);
    if (hadFocus) (this.place.querySelector("button") ?? byId("message")).focus();
  }
}

function draw({ kind, title, advice, actions }: BannerContent): HTMLElement {
  return h(
    "section",
    { class: `banner ${kind}`, "aria-label": title },
    h("div", {}, h("p", { class: "banner-title" }, title), h("p", {}, advice)),
    h("div", { class: "banner-actions" }, ...actions.map(({ label, act }) => button(label, {}, act))),
  );
}
