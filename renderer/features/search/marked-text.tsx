import type { TextRun } from '#shared/contract/chat/search.ts';

/** Text with its matches marked. */
export function MarkedText({ runs }: { runs: readonly TextRun[] }) {
  return runs.map((run, index) =>
    run.hit ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: runs have no identity
      <mark key={index} className="rounded-tag bg-mark text-fg">
        {run.text}
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: runs have no identity
      <span key={index}>{run.text}</span>
    ),
  );
}
