/**
 * Response headers as a plain record: what the gateway sets are a dozen known names, and the platform's `Headers` costs
 * as much as a database statement. Names are in lower case.
 */
export class PlainHeaders implements Iterable<[string, string]> {
  readonly fields: Record<string, string>;

  constructor(fields: Readonly<Record<string, string>> = {}) {
    this.fields = { ...fields };
  }

  get(name: string): string | null {
    return this.fields[name.toLowerCase()] ?? null;
  }

  has(name: string): boolean {
    return this.fields[name.toLowerCase()] !== undefined;
  }

  set(name: string, value: string): void {
    this.fields[name.toLowerCase()] = value;
  }

  append(name: string, value: string): void {
    const known = this.get(name);
    this.set(name, known === null ? value : `${known}, ${value}`);
  }

  delete(name: string): void {
    delete this.fields[name.toLowerCase()];
  }

  entries(): IterableIterator<[string, string]> {
    return Object.entries(this.fields)[Symbol.iterator]();
  }

  forEach(visit: (value: string, name: string) => void): void {
    for (const [name, value] of this.entries()) visit(value, name);
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}
