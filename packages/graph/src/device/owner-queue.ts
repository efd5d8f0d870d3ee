// Shares a resource, such as the GPU, among several owners, of which it serves one at a time.

/** A queue that starts requests of the present owner immediately, and those of others when all of its requests have ended. */
export class OwnerQueue<Owner> {
  #owner: Owner | null = null;
  /** The number of requests of the present owner that have started and not ended. */
  #open = 0;
  #waiting: { readonly owner: Owner; readonly start: () => void }[] = [];

  begin(owner: Owner, start: () => void): void {
    this.#waiting.push({ owner, start });
    // If other owners are waiting, a further request of the present owner waits too, so that the others are served next.
    if (this.#waiting.length === 1 && (this.#owner === null || this.#owner === owner)) this.#startWaiting();
  }

  /** Records that a request of the owner has ended. */
  end(owner: Owner): void {
    if (owner === this.#owner && --this.#open === 0) this.#startWaiting();
  }

  /** Drops all requests of an owner that no longer needs the resource, whether they have started or not. */
  leave(owner: Owner): void {
    this.#waiting = this.#waiting.filter((each) => each.owner !== owner);
    if (this.#owner !== owner) return;
    this.#open = 0;
    this.#startWaiting();
  }

  /** Gives the resource to the owner that has waited longest, and starts requests up to the first one of another owner. */
  #startWaiting(): void {
    this.#owner = this.#waiting[0]?.owner ?? null;
    while (this.#waiting.length > 0 && this.#waiting[0].owner === this.#owner) {
      this.#open++;
      this.#waiting.shift()!.start();
    }
  }
}
