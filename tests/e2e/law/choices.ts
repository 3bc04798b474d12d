// Choices drawn from a seed, so that a run that broke the law can be run again.

export class Choices {
  constructor(private state: number) {}

  /// A whole number from 0 up to, not including, `below` (mulberry32).
  below(below: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  of<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error('nothing to choose from');
    return value;
  }

  /// One of the names, each as often as its weight says.
  weighted<Name extends string>(weights: Record<Name, number>): Name {
    const names = Object.keys(weights) as Name[];
    let at = this.below(names.reduce((sum, name) => sum + weights[name], 0));
    for (const name of names) {
      if (at < weights[name]) return name;
      at -= weights[name];
    }
    throw new Error('weights have a sum');
  }
}
