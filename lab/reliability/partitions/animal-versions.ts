/**
 * What clients know of animals whose name is the number of a change and its author: `v7-3.12`. Each change was
 * made to the version before it, so there is one author for each number.
 */
export class AnimalVersions {
  /** What contradicts one history of each animal, as sentences. */
  readonly problems: string[] = [];
  readonly #authors = new Map<string, { readonly name: string; readonly source: string }>();
  readonly #floors = new Map<number, number>();

  /** The version that a read of an animal that begins now shows at least. */
  floor(id: number): number {
    return this.#floors.get(id) ?? 0;
  }

  /**
   * A response to a read. @returns the version that it shows
   * @param floor `floor(id)` when the read began.
   * @param source where it came from, for the sentence about a problem.
   */
  read(id: number, name: string, floor: number, source: string): number {
    const version = this.#see(id, name, `read from ${source}`);
    if (version < floor)
      this.problems.push(
        `a read of animal ${id} from ${source} went back from version ${floor} to ${version}`,
      );
    return version;
  }

  /** The response to a change was 200. */
  acknowledge(id: number, name: string, source: string): void {
    this.#see(id, name, `acknowledged by ${source}`);
  }

  #see(id: number, name: string, source: string): number {
    const version = Number(/^v(\d+)/.exec(name)?.[1] ?? -1);
    if (version < 0) this.problems.push(`animal ${id} has the name of no version: ${name}`);
    const place = `${id}/${version}`;
    const author = this.#authors.get(place) ?? { name, source };
    if (author.name !== name)
      this.problems.push(
        `version ${version} of animal ${id} has two authors: ${author.name}, ${author.source}, and ${name}, ${source}`,
      );
    this.#authors.set(place, author);
    this.#floors.set(id, Math.max(this.floor(id), version));
    return version;
  }
}
