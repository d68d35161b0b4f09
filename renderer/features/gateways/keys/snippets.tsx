import { useState } from 'react';
import { keysText as words } from '../../../text/keys-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { ScrollGroup } from '../../../ui/elements/scroll-group.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { useCopy } from '../../../ui/notices/use-copy.ts';
import { getSnippet, type SnippetKind, snippetKinds } from './snippet.ts';

const kinds = snippetKinds.map((value) => ({ value, label: words.snippets[value] }));

/** How another program uses the gateway: one of several ways, to be copied. `secret`: a key that was just made. */
export function Snippets({ baseUrl, secret = null }: { baseUrl: string; secret?: string | null }) {
  const [kind, setKind] = useState<SnippetKind>('curl');
  const [copied, copy] = useCopy();
  const snippet = getSnippet(kind, { baseUrl, key: secret });
  return (
    <div className="mt-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Segmented label={words.snippetKind} value={kind} options={kinds} onChange={setKind} />
        <Button aria-label={words.copyOf(words.snippets[kind])} onClick={() => void copy(snippet)}>
          {copied ? words.copied : words.copy}
        </Button>
      </div>
      <ScrollGroup
        label={words.snippets[kind]}
        className="mt-2 overflow-x-auto rounded-menu border border-line bg-sunken p-3 font-mono text-xs"
      >
        <pre>{snippet}</pre>
      </ScrollGroup>
      {secret === null && <p className="mt-1 text-fg-3 text-xs">{words.variableNote}</p>}
    </div>
  );
}
