/** A resource as a client was told of it. Null: it was removed. */
export type State = Readonly<Record<string, unknown>> | null;

interface Version {
  readonly text: string | null;
  readonly requestId: string;
}

/** The same text for the same resource, whatever the order of its fields is. */
export const textOf = (state: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(Object.entries(state).sort(([one], [other]) => (one < other ? -1 : 1)));

/** What clients were told of resources: for each one, by its subject, such as `pets/7`, its states in their order. */
export class History {
  readonly #versions = new Map<string, Version[]>();
  readonly #states = new Map<string, State>();
  #requests = 0;

  nextRequestId = (): string => `trial-${++this.#requests}-`;

  get changes(): number {
    return this.#versions.values().reduce((sum, { length }) => sum + length, 0);
  }

  /** Adds what the response to a request says of a resource. */
  add(requestId: string, subject: string, state: State): void {
    const versions = this.#versions.get(subject) ?? [];
    versions.push({ requestId, text: state && textOf(state) });
    this.#versions.set(subject, versions);
    this.#states.set(subject, state);
  }

  /** The last state of a resource. */
  last = (subject: string): State => this.#states.get(subject) ?? null;

  /**
   * What is wrong with the stored resources at a moment: one has a state that its client knew to be replaced, or one that no client
   * knows.
   * @param stored the text of each one by its subject.
   * @param isAcknowledged whether the response to a request was sent before the moment.
   */
  faults(
    stored: ReadonlyMap<string, string>,
    isAcknowledged: (requestId: string) => boolean,
  ): string[] {
    const faults: string[] = [];
    for (const [subject, versions] of this.#versions) {
      const acknowledged = versions.findLastIndex(({ requestId }) => isAcknowledged(requestId));
      const possible = versions.slice(Math.max(acknowledged, 0)).map(({ text }) => text);
      if (acknowledged === -1) possible.push(null);
      const found = stored.get(subject) ?? null;
      if (!possible.includes(found))
        faults.push(`${subject} is ${found ?? 'missing'}, acknowledged was ${possible[0]}`);
    }
    for (const subject of stored.keys())
      if (!this.#versions.has(subject)) faults.push(`${subject} is there, and nobody sent it`);
    return faults;
  }

  /** The number of changes whose responses were sent. */
  acknowledged(isAcknowledged: (requestId: string) => boolean): number {
    return [...this.#versions.values()].flat().filter(({ requestId }) => isAcknowledged(requestId))
      .length;
  }
}
