import type { ReactNode } from 'react';
import { type DeepLink, readDeepLink } from '#shared/deep-link.ts';
import { visibleText } from '#shared/visible.ts';
import { useModels } from '../../api/use-core.ts';
import { linkDone, useLinks } from '../../navigation/links.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/elements/button.tsx';
import { draftKey, useDrafts } from '../drafts/drafts-store.ts';
import { text } from './links-text.ts';
import { useAgree } from './use-agree.ts';

/** Asks about links from outside, one after another. A link does nothing before the answer. */
export function LinkDialog() {
  const written = useLinks(({ waiting }) => waiting[0]);
  if (written === undefined) return null;
  const link = readDeepLink(written);
  const title = link ? text.titles[link.kind] : text.notRead;
  return (
    <Dialog open onOpenChange={(open) => !open && linkDone()} title={title}>
      {link ? <Question key={written} link={link} /> : <NotRead written={written} />}
    </Dialog>
  );
}

function Question({ link }: { link: DeepLink }) {
  const agree = useAgree(link);
  const typed = useDrafts((drafts) => drafts.texts[draftKey(null)] ?? '').trim() !== '';
  return (
    <>
      <p className="text-fg-2 text-sm">{text.notes[link.kind]}</p>
      <dl className="mt-3 flex flex-col gap-3 text-sm">
        <Facts link={link} />
      </dl>
      {link.kind === 'new' && link.prompt !== '' && typed && <p className="mt-3 text-fg-2 text-sm">{text.added}</p>}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={linkDone}>{text.cancel}</Button>
        <Button variant="primary" onClick={agree}>
          {text.agree[link.kind]}
        </Button>
      </div>
    </>
  );
}

/** Formats `q=reasoner&sort=name` for reading as `reasoner, sort: name`. */
const getFilter = (search: string): string =>
  [...new URLSearchParams(search)].map(([name, value]) => (name === 'q' ? value : `${name}: ${value}`)).join(', ');

function Facts({ link }: { link: DeepLink }) {
  switch (link.kind) {
    case 'new':
      return <NewChatFacts link={link} />;
    case 'chat':
      return <Fact name={text.chat}>{visibleText(link.conversationId)}</Fact>;
    case 'models':
      return <Fact name={text.query}>{visibleText(getFilter(link.search)) || text.everything}</Fact>;
    case 'gateway':
      return <Fact name={text.address}>{visibleText(link.url)}</Fact>;
    case 'prompt':
      return (
        <>
          <Fact name={text.name}>{visibleText(link.name)}</Fact>
          <Fact name={text.prompt}>{getVisibleLines(link.text)}</Fact>
        </>
      );
  }
}

function NewChatFacts({ link }: { link: Extract<DeepLink, { kind: 'new' }> }) {
  const models = useModels().data?.models ?? [];
  const known = models.find(({ id }) => id === link.model);
  return (
    <>
      <Fact name={text.prompt}>{getVisibleLines(link.prompt) || text.noPrompt}</Fact>
      {link.model !== null && (
        <Fact name={text.model}>{known?.name ?? text.unknownModel(visibleText(link.model))}</Fact>
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <dt className="font-medium text-fg-2 text-xs">{name}</dt>
      <dd
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll a long text
        tabIndex={0}
        className="max-h-48 overflow-y-auto rounded-control border border-line bg-sunken px-2.5 py-1.5 whitespace-pre-wrap wrap-anywhere"
      >
        {children}
      </dd>
    </div>
  );
}

function NotRead({ written }: { written: string }) {
  return (
    <>
      <p className="text-fg-2 text-sm">{text.notReadNote}</p>
      <dl className="mt-3 text-sm">
        <Fact name={text.link}>{visibleText(written.slice(0, 2000))}</Fact>
      </dl>
      <div className="mt-4 flex justify-end">
        <Button onClick={linkDone}>{text.close}</Button>
      </div>
    </>
  );
}

/** Preserves line breaks, and spells out characters that could hide or reorder words. */
const getVisibleLines = (words: string): string => words.split('\n').map(visibleText).join('\n');
