import { go } from 'fuzzysort';
import type { LucideIcon } from 'lucide-react';
import type { TextRun } from '#shared/contract/chat/search.ts';

/** One line of the palette. */
export interface Entry {
  readonly id: string;
  readonly group: string;
  readonly label: string;
  /** A muted remark after the label, which is searched too. */
  readonly note?: string;
  /** Other words for it, which are searched but not shown. */
  readonly also?: string | undefined;
  /** The label with its matches highlighted. */
  readonly runs?: readonly TextRun[];
  /** A second line. */
  readonly snippet?: readonly TextRun[];
  readonly icon: LucideIcon;
  readonly keys?: string | undefined;
  readonly run: () => void;
}

/** A type alias, because an interface would not fit the index signature of the combobox’s groups. */
export type EntryGroup = { readonly value: string; readonly items: readonly Entry[] };

const minScore = 0.3;
const maxInGroup = 8;
/** A recently used entry beats an equal match, but not a clearly better one. */
const recentBonus = 0.15;

/** Returns the matches in groups. The group with the best match comes first, and each group is sorted the same way. */
export function rankEntries(entries: readonly Entry[], query: string, recent: readonly string[]): EntryGroup[] {
  const bonus = (id: string) => (recent.includes(id) ? recentBonus : 0);
  const found = go(query.trim(), entries, {
    keys: ['label', (entry: Entry) => `${entry.note ?? ''} ${entry.label}`, (entry: Entry) => entry.also ?? ''],
    threshold: minScore,
    limit: 0,
  })
    .map((result) => ({ entry: withRuns(result.obj, result[0]), score: result.score + bonus(result.obj.id) }))
    .sort((a, b) => b.score - a.score);
  return [...Map.groupBy(found, ({ entry }) => entry.group)].map(([value, items]) => ({
    value,
    items: items.slice(0, maxInGroup).map(({ entry }) => entry),
  }));
}

interface Match {
  readonly score: number;
  readonly indexes: readonly number[];
}

function withRuns(entry: Entry, match: Match | undefined): Entry {
  if (!match || match.score <= 0) return entry;
  const hits = new Set(match.indexes);
  const runs: { text: string; hit: boolean }[] = [];
  for (let index = 0; index < entry.label.length; index++) {
    const hit = hits.has(index);
    const last = runs.at(-1);
    if (last?.hit === hit) last.text += entry.label[index];
    else runs.push({ text: entry.label[index] ?? '', hit });
  }
  return { ...entry, runs };
}
