// Random choices from a seed, so that a failed run can be repeated.

export class Choices {
  constructor(private state: number) {}

  /// An integer from 0 to `below`, exclusive (mulberry32).
  below(below: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  of<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error('the list is empty');
    return value;
  }

  /// One of the names, with a probability proportional to its weight.
  weighted<Name extends string>(weights: Record<Name, number>): Name {
    const names = Object.keys(weights) as Name[];
    let at = this.below(names.reduce((sum, name) => sum + weights[name], 0));
    for (const name of names) {
      if (at < weights[name]) return name;
      at -= weights[name];
    }
    throw new Error('the weights are inconsistent');
  }
}
