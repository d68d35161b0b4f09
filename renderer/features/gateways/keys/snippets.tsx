import { useState } from 'react';
import { keysText as words } from '../../../text/keys-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { ScrollGroup } from '../../../ui/elements/scroll-group.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { useCopy } from '../../../ui/notices/use-copy.ts';

/** Code snippets that call a gateway with an address and a key, ready to copy. */

export const snippetKinds = ['curl', 'typescript', 'python', 'environment'] as const;
export type SnippetKind = (typeof snippetKinds)[number];

interface Pointed {
  /** The gateway’s root or its `/v1`. */
  readonly baseUrl: string;
  /** Null if the key is no longer known. The snippet then reads it from `PORTICO_KEY`. */
  readonly key: string | null;
}

const variable = 'PORTICO_KEY';
const getRoot = (baseUrl: string): string => baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');

/** Quotes a text for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns the program or shell lines for one kind of client. All call `router`, a model that every gateway has. */
export function getSnippet(kind: SnippetKind, { baseUrl, key }: Pointed): string {
  const root = getRoot(baseUrl);
  switch (kind) {
    case 'curl':
      return [
        `curl ${quoted(`${root}/v1/chat/completions`)} \\`,
        `  -H ${key === null ? `"Authorization: Bearer $${variable}"` : quoted(`Authorization: Bearer ${key}`)} \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -d '{"model":"router","messages":[{"role":"user","content":"Hello"}]}'`,
      ].join('\n');
    case 'typescript':
      return [
        '// npm install openai',
        "import OpenAI from 'openai';",
        '',
        'const client = new OpenAI({',
        `  baseURL: ${JSON.stringify(`${root}/v1`)},`,
        `  apiKey: ${key === null ? `process.env.${variable}` : JSON.stringify(key)},`,
        '});',
        'const stream = await client.chat.completions.create({',
        "  model: 'router',",
        "  messages: [{ role: 'user', content: 'Hello' }],",
        '  stream: true,',
        '});',
        "for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');",
      ].join('\n');
    case 'python':
      return [
        '# pip install openai',
        ...(key === null ? ['import os', ''] : []),
        'from openai import OpenAI',
        '',
        'client = OpenAI(',
        `    base_url=${JSON.stringify(`${root}/v1`)},`,
        `    api_key=${key === null ? `os.environ["${variable}"]` : JSON.stringify(key)},`,
        ')',
        'stream = client.chat.completions.create(',
        '    model="router",',
        '    messages=[{"role": "user", "content": "Hello"}],',
        '    stream=True,',
        ')',
        'for chunk in stream:',
        '    print(chunk.choices[0].delta.content or "", end="", flush=True)',
      ].join('\n');
    case 'environment': {
      const value = key === null ? `"$${variable}"` : quoted(key);
      return [
        '# OpenAI’s SDKs, LangChain, and what is built on them',
        `export OPENAI_BASE_URL=${quoted(`${root}/v1`)}`,
        `export OPENAI_API_KEY=${value}`,
        '# Claude Code and Anthropic’s SDKs',
        `export ANTHROPIC_BASE_URL=${quoted(root)}`,
        `export ANTHROPIC_AUTH_TOKEN=${value}`,
      ].join('\n');
    }
  }
}

const kinds = snippetKinds.map((value) => ({ value, label: words.snippets[value] }));

/**
 * Shows how another program calls the gateway, one of several ways at a time. `secret` is a key that was just created.
 */
export function Snippets({ baseUrl, secret = null }: { baseUrl: string; secret?: string | null }) {
  const [kind, setKind] = useState<SnippetKind>('curl');
  const [copied, copy] = useCopy();
  const snippet = getSnippet(kind, { baseUrl, key: secret });
  return (
    <div className="mt-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Segmented label={words.snippetKind} value={kind} options={kinds} onChange={setKind} />
        <Button aria-label={words.copyLabel(words.snippets[kind])} onClick={() => void copy(snippet)}>
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
