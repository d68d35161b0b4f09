type Labels = Readonly<Record<string, string>>;

/** One line of the text format: a suffix of the name, labels, and the printed value. */
export interface Sample {
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: string | number;
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  samples(): readonly Sample[];
}

/** Beyond this many combinations of labels, a metric adds up under `other`, so a scrape stays small whatever clients send. */
const seriesLimit = 1000;

interface Series<T> {
  readonly labels: Labels;
  value: T;
}

/** A tree with one level for each label. Joining the labels into one key would cost more than the counting itself. */
interface Branch<T> {
  readonly next: Map<string, Branch<T>>;
  series: Series<T> | null;
}

const emptyBranch = <T>(): Branch<T> => ({ next: new Map(), series: null });

/** The values of a metric, by the values of its labels. */
function series<T>(names: readonly string[], start: () => T) {
  const allSeries: Series<T>[] = [];
  const root = emptyBranch<T>();

  function add(values: readonly string[]): Series<T> {
    let branch = root;
    for (const value of values) {
      const next = branch.next.get(value) ?? emptyBranch<T>();
      branch.next.set(value, next);
      branch = next;
    }
    const labels = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
    branch.series = { labels, value: start() };
    allSeries.push(branch.series);
    return branch.series;
  }

  function getSeries(values: readonly string[]): Series<T> {
    let found: Branch<T> | undefined = root;
    for (const value of values) found = found?.next.get(value);
    if (found?.series) return found.series;
    const isFull = allSeries.length >= seriesLimit && values.some((value) => value !== 'other');
    return isFull ? getSeries(names.map(() => 'other')) : add(values);
  }

  return { all: () => allSeries.values(), getSeries };
}

export interface Counter extends Metric {
  add(labels: readonly string[], by: number): void;
}

/** A value that only grows. */
export function counter(name: string, help: string, labelNames: readonly string[]): Counter {
  const counts = series(labelNames, () => 0);
  return {
    name,
    help,
    type: 'counter',
    add(labels, by) {
      counts.getSeries(labels).value += by;
    },
    samples: () => [...counts.all()].map(({ labels, value }) => ({ labels, value })),
  };
}

export interface AmountCounter extends Metric {
  add(labels: readonly string[], by: bigint): void;
}

/** A counter for money: exact integers inside, printed as a decimal. */
export function amountCounter(
  name: string,
  help: string,
  labelNames: readonly string[],
  format: (amount: bigint) => string,
): AmountCounter {
  const sums = series(labelNames, () => 0n);
  return {
    name,
    help,
    type: 'counter',
    add(labels, by) {
      sums.getSeries(labels).value += by;
    },
    samples: () => [...sums.all()].map(({ labels, value }) => ({ labels, value: format(value) })),
  };
}

export interface Histogram extends Metric {
  /** Seconds. */
  observe(labels: readonly string[], seconds: number): void;
}

export function histogram(
  name: string,
  help: string,
  labelNames: readonly string[],
  bounds: readonly number[],
): Histogram {
  const seen = series(labelNames, () => ({ counts: bounds.map(() => 0), count: 0, sum: 0 }));
  return {
    name,
    help,
    type: 'histogram',
    observe(labels, seconds) {
      const { value } = seen.getSeries(labels);
      const bucket = bounds.findIndex((bound) => seconds <= bound);
      if (bucket >= 0) value.counts[bucket] = (value.counts[bucket] ?? 0) + 1;
      value.count += 1;
      value.sum += seconds;
    },
    samples: () => [...seen.all()].flatMap(({ labels, value }) => getBuckets(labels, bounds, value)),
  };
}

function getBuckets(
  labels: Labels,
  bounds: readonly number[],
  { counts, count, sum }: { counts: readonly number[]; count: number; sum: number },
): Sample[] {
  let below = 0;
  const buckets = bounds.map((bound, index) => {
    below += counts[index] ?? 0;
    return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: below };
  });
  return [
    ...buckets,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}

/** A value that is read when it's scraped. */
export const gauge = (name: string, help: string, read: () => number | readonly Sample[]): Metric => ({
  name,
  help,
  type: 'gauge',
  samples() {
    const value = read();
    return typeof value === 'number' ? [{ value }] : value;
  },
});

/** Returns all metrics in Prometheus's text format, version 0.0.4. */
export const getText = (metrics: readonly Metric[]): string =>
  metrics
    .map((metric) => {
      const lines = metric.samples().map((sample) => getLine(metric.name, sample));
      return `# HELP ${metric.name} ${metric.help}\n# TYPE ${metric.name} ${metric.type}\n${lines.join('')}`;
    })
    .join('');

function getLine(name: string, { suffix = '', labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
  return `${name}${suffix}${pairs.length ? `{${pairs.join(',')}}` : ''} ${value}\n`;
}

const escaped = (text: string) => text.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`));
