import { byId } from "../dom.js";

/** There is room for the list beside the conversation (see layout.css). */
const wide = matchMedia("(min-width: 75rem)");

/** Shows something in the rail where there is room for it, else in a drawer that a button opens. */
export class Drawer {
  private readonly rail = byId("rail");
  private readonly dialog = byId<HTMLDialogElement>("drawer");

  /** @param content moved to where it is shown; nothing is lost */
  constructor(private readonly content: HTMLElement) {
    byId("open-drawer").addEventListener("click", () => this.dialog.showModal());
    // Esc belongs to the drawer, not to the run behind it.
    this.dialog.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      this.close();
    });
    // The dialog itself is only hit beside its content.
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.close());
    wide.addEventListener("change", () => this.place());
    this.place();
  }

  /** Whether it lies above the conversation now. */
  get isOpen(): boolean {
    return this.dialog.open;
  }

  /** The focus goes back to where it was. */
  close(): void {
    this.dialog.close();
  }

  private place(): void {
    if (wide.matches) this.close();
    (wide.matches ? this.rail : this.dialog).append(this.content);
  }
}
