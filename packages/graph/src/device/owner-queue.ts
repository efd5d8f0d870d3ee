// Shares a resource among several owners, of which it serves one at a time.

/** Starts an owner's requests at once while it has the resource; requests of others wait until all of the owner's have ended. */
export class OwnerQueue<Owner> {
  #owner: Owner | null = null;
  /** The number of the owner's requests that have started and not ended. */
  #open = 0;
  #waiting: { readonly owner: Owner; readonly start: () => void }[] = [];

  begin(owner: Owner, start: () => void): void {
    this.#waiting.push({ owner, start });
    // The present owner also waits if others are waiting, so that they are served next.
    if (this.#waiting.length === 1 && (this.#owner === null || this.#owner === owner)) this.#startWaiting();
  }

  /** Records the end of a started request of the owner. */
  end(owner: Owner): void {
    if (owner === this.#owner && --this.#open === 0) this.#startWaiting();
  }

  /** Drops all requests of an owner, started or not. */
  leave(owner: Owner): void {
    this.#waiting = this.#waiting.filter((each) => each.owner !== owner);
    if (this.#owner !== owner) return;
    this.#open = 0;
    this.#startWaiting();
  }

  /** Gives the resource to the owner that has waited longest, and starts its requests up to the first one of another owner. */
  #startWaiting(): void {
    this.#owner = this.#waiting[0]?.owner ?? null;
    while (this.#waiting.length > 0 && this.#waiting[0].owner === this.#owner) {
      this.#open++;
      this.#waiting.shift()!.start();
    }
  }
}
