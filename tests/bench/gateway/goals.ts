import type { FigureName } from './figures.ts';
import type { Report } from './report.ts';

/** The goals for our gateway, each as a sentence that shows whether this run reached it. */
interface Goal {
  readonly contender: string;
  readonly figure: FigureName;
  readonly text: string;
  /** Set if a higher figure is better. */
  readonly atLeast?: true;
  readonly limit: number;
  /** What the limit applies to. By default it's the ratio of the figure to the floor's. */
  readonly comparedWith?: 'figure' | 'fastest peer';
}

const goals: readonly Goal[] = [
  { contender: 'portico', figure: 'cpuPerRequestUs', limit: 2.5, text: 'CPU a request' },
  { contender: 'portico', figure: 'requestsPerSecond', limit: 0.4, atLeast: true, text: 'requests/s' },
  {
    contender: 'portico',
    figure: 'requestsPerSecond',
    limit: 1.5,
    atLeast: true,
    comparedWith: 'fastest peer',
    text: 'requests/s',
  },
  { contender: 'portico-pg', figure: 'cpuPerRequestUs', limit: 3, text: 'CPU a request' },
  { contender: 'portico-pg-3', figure: 'cpuPerRequestUs', limit: 3, text: 'CPU a request' },
  {
    contender: 'portico-pg-3',
    figure: 'requestsPerSecond',
    limit: 2500,
    atLeast: true,
    comparedWith: 'figure',
    text: 'requests/s',
  },
  { contender: 'portico', figure: 'addedFirstByteWithoutSyncMs', limit: 1.8, text: 'added first byte less the sync' },
  { contender: 'portico', figure: 'cpuPerFlatEventUs', limit: 1.4, text: 'CPU an event, flat out' },
  { contender: 'portico', figure: 'cpuPerPacedEventUs', limit: 1.4, text: 'CPU an event, paced' },
  { contender: 'portico', figure: 'halfLoadP99Ms', limit: 3, text: 'p99 at half load' },
  { contender: 'portico', figure: 'kbPerOpenStream', limit: 80, comparedWith: 'figure', text: 'KB an open stream' },
  {
    contender: 'portico',
    figure: 'mbPerStalledClient',
    limit: 30,
    comparedWith: 'figure',
    text: 'MB a stalled client',
  },
  { contender: 'portico', figure: 'startMs', limit: 1.5, text: 'time to start' },
  { contender: 'portico', figure: 'incomplete', limit: 0, comparedWith: 'figure', text: 'failed requests' },
];

export function verdictsOn(report: Report): string {
  return goals.flatMap((goal) => verdictOn(goal, report)).join('');
}

function verdictOn(goal: Goal, report: Report): string[] {
  const value = measuredFor(goal, report);
  if (value === null) return [];
  const met = goal.atLeast ? value >= goal.limit : value <= goal.limit;
  const unit = goal.comparedWith === 'figure' ? '' : ` × ${goal.comparedWith ?? 'raw-meter'}`;
  const wanted = `${goal.atLeast ? '≥' : '≤'} ${goal.limit}${unit}`;
  return [`${met ? 'met   ' : 'missed'}  ${goal.contender}: ${goal.text} ${value.toFixed(2)}, wanted ${wanted}\n`];
}

function measuredFor(goal: Goal, report: Report): number | null {
  if (goal.comparedWith === undefined) return report.ratio(goal.contender, goal.figure)?.median ?? null;
  const own = report.spread(goal.contender, goal.figure)?.median ?? null;
  if (goal.comparedWith === 'figure' || own === null) return own;
  const peers = ['llms', 'portkey'].map((name) => report.spread(name, goal.figure)?.median ?? 0);
  return Math.max(...peers) > 0 ? own / Math.max(...peers) : null;
}
