import { isThenable } from "../engine/describe.js";
import type { ToolApprovalDecision, ToolApprovalRequestEvent } from "../types.js";
import { type ApprovalCase, RequestFailure } from "./ask.js";

interface OpenRequest {
  readonly request: ToolApprovalRequestEvent;
  readonly approvalCase: ApprovalCase;
  decide(decision: ToolApprovalDecision): void;
}

/** The requests of an agent that wait for an answer. */
export class ApprovalDesk {
  private readonly _open = new Map<string, OpenRequest>();
  private _count = 0;

  /** What waits, oldest first. */
  get pending(): ToolApprovalRequestEvent[] {
    return [...this._open.values()].map(({ request }) => request);
  }

  /**
   * Announces a request and waits for the answer.
   *
   * @param signal fires when the answer no longer matters
   * @param announce tells the listeners
   * @param report gets what a listener throws after the answer
   */
  ask(
    approvalCase: ApprovalCase,
    signal: AbortSignal,
    announce: (event: ToolApprovalRequestEvent) => unknown,
    report: (thrown: unknown) => void,
  ): Promise<ToolApprovalDecision> {
    const { unchanged: _, validate: __, ...shown } = approvalCase;
    this._count++;
    const id = `approval-${this._count}`;
    const request: ToolApprovalRequestEvent = { type: "tool_approval_request", id, ...shown };
    return new Promise((resolve, reject) => {
      const fail = (thrown: unknown): void => {
        if (this._open.delete(id)) reject(new RequestFailure(thrown));
        else report(thrown);
      };
      this._open.set(id, { request, approvalCase, decide: resolve });
      signal.addEventListener("abort", () => this._open.delete(id), { once: true });
      try {
        const told = announce(request);
        if (isThenable(told)) Promise.resolve(told).catch(fail);
      } catch (thrown) {
        fail(thrown);
      }
    });
  }

  /** See `Agent.approve`. */
  approve(id: string, args: unknown): boolean {
    const open = this._open.get(id);
    if (!open?.approvalCase.unchanged()) return false;
    const decision: ToolApprovalDecision = { approved: true };
    if (args !== undefined) {
      try {
        // A copy: what the caller does to its object afterwards was not approved.
        decision.args = structuredClone(args);
        const checked = open.approvalCase.validate(decision.args);
        if (isThenable(checked)) Promise.resolve(checked).catch(() => {});
      } catch {
        return false;
      }
    }
    return this._settle(id, decision);
  }

  /** See `Agent.deny`. */
  deny(id: string, reason: string | undefined): boolean {
    return this._settle(id, { approved: false, reason });
  }

  /** The run is over; what still waits will not run. */
  clear(): void {
    for (const id of [...this._open.keys()]) this.deny(id, undefined);
  }

  private _settle(id: string, decision: ToolApprovalDecision): boolean {
    const open = this._open.get(id);
    if (!open) return false;
    this._open.delete(id);
    open.decide(decision);
    return true;
  }
}
