/**
 * Keeps the end of a scrolling element in view while it grows, unless the user has scrolled up. `jump` is shown then, and
 * brings the end back.
 */
export class Follower {
  private following = true;
  private scheduled = false;
  private lastTop = 0;

  constructor(
    private readonly scroller: HTMLElement,
    private readonly jump: HTMLButtonElement,
  ) {
    scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    // What is below takes room: the message box with what waits in it, the keyboard of a phone.
    new ResizeObserver(() => this.grown()).observe(scroller);
    jump.addEventListener("click", () => {
      this.toEnd();
      scroller.focus();
    });
  }

  /** Something was added. Looks at the layout once per frame, however much was added. */
  grown(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      if (this.following) this.scroller.scrollTop = this.scroller.scrollHeight;
      else this.jump.hidden = this.distance < 32;
    });
  }

  /** Goes to the end and stays there. */
  toEnd(): void {
    this.setFollowing(true);
    this.grown();
  }

  /** Only scrolling up means that the user wants to stay: the end also moves away by itself. */
  private scrolled(): void {
    const { scrollTop } = this.scroller;
    if (this.distance < 32) this.setFollowing(true);
    else if (scrollTop < this.lastTop) this.setFollowing(false);
    this.lastTop = scrollTop;
  }

  private get distance(): number {
    return this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight;
  }

  private setFollowing(following: boolean): void {
    this.following = following;
    if (following) this.jump.hidden = true;
  }
}
