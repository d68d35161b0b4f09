import { Ban, Check, CircleAlert, CircleStop, Hand, LoaderCircle, Wrench } from 'lucide-react';
import type { Token } from 'marked';
import { Fragment, useEffect, useRef, useState } from 'react';
import type { ToolDecision } from '#shared/contract/chat/chat.ts';
import type { ContextFit, ToolCall, ToolRun } from '#shared/contract/chat/conversations.ts';
import { useAwaited } from '../../../browser/use-settled.ts';
import { getHandle } from '../../../handles/handles.ts';
import { LongText } from '../../../long-text/long-text.tsx';
import { Slices } from '../../../markdown/block.tsx';
import { copySelections } from '../../../markdown/copy-selections.ts';
import { imagesIn } from '../../../markdown/named-images.ts';
import { ImagesHere } from '../../../markdown/show-image.ts';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { text } from '../../../text/chat-text.ts';
import { getSentence } from '../../../text/error-text.ts';
import { getTitle } from '../../../text/tools-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { useCopy } from '../../../ui/notices/use-copy.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { MadeImages } from '../../drafts/attachments/made-images.tsx';
import { useAnswer } from '../data/use-answer.ts';
import { Collapsible } from '../state/collapsible.tsx';
import { getHead, getSections, type ThreadItem } from '../state/thread-items.ts';
import { useDecideTool } from '../tool-calls/use-decide-tool.ts';

/**
 * Invisible and bidirectional control characters. They can disguise a text, so they are spelled out where the user
 * decides by it.
 */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns the text with invisible characters spelled out. */
export const exactText = (text: string): string =>
  text.replace(unseen, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);

/** Formatting longer JSON takes long and multiplies its size. */
const maxJsonCharacters = 100_000;
const maxJsonDepth = 30;

function isDeep(text: string): boolean {
  let depth = 0;
  for (const letter of text) {
    if (letter === '[' || letter === '{') depth += 1;
    else if (letter === ']' || letter === '}') depth -= 1;
    if (depth > maxJsonDepth) return true;
  }
  return false;
}

/** Formats JSON if that doesn't change its meaning; otherwise returns the text unchanged. */
export function spacedJson(text: string): string {
  if (text.length > maxJsonCharacters || isDeep(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text.trim() ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

const line = { heightPx: 16, letters: 100 };

/** Shows a text from a tool or model as plain text in a scroll container. */
function ExactBlock({ label, value }: { label: string; value: string }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so by keyboard
      tabIndex={0}
      className="max-h-72 overflow-auto rounded-control bg-sunken p-2"
    >
      <pre className="whitespace-pre-wrap font-mono text-fg text-xs wrap-anywhere">
        {value === '' ? text.toolNothing : <LongText text={value} line={line} as={exactText} />}
      </pre>
    </section>
  );
}

const icons = {
  waiting: Hand,
  running: LoaderCircle,
  done: Check,
  failed: CircleAlert,
  denied: Ban,
  skipped: Ban,
  stopped: CircleStop,
} as const satisfies Record<ToolRun['state'], unknown>;

interface ToolCallLineProps {
  messageId: string;
  /** Index of the call in the message. */
  index: number;
  call: ToolCall;
  /** Its answer is running, so it can still be decided. */
  live: boolean;
}

/** A tool call: server, state and duration; arguments and result when expanded. */
function ToolCallLine({ messageId, index, call, live }: ToolCallLineProps) {
  const { run } = call;
  const part = `${messageId}:call:${index}`;
  useExpandSearched(messageId, part, call);
  if (run?.state === 'waiting' && live)
    return <ToolApproval messageId={messageId} index={index} call={call} run={run} />;
  const Icon = run ? icons[run.state] : Wrench;
  const tone = run?.state === 'failed' ? 'text-bad' : run?.state === 'done' ? 'text-ok' : '';
  const label = (
    <>
      <Icon size={14} className={`shrink-0 ${tone} ${run?.state === 'running' ? 'spin' : ''}`} aria-hidden />
      <span className="truncate font-medium">{getTitle(call).slice(0, 200)}</span>
      {run?.server && <span className="truncate text-fg-3 max-sm:hidden">{run.server}</span>}
      <span className="shrink-0 text-fg-3 text-xs tabular-nums">{stateWords(run)}</span>
    </>
  );
  return (
    <Collapsible id={part} label={label}>
      <div className="mt-1 mb-2 ml-1.5 flex flex-col gap-2 border-line border-l pl-4">
        <ExactText
          label={text.toolArguments}
          copyLabel={text.copyArguments}
          value={spacedJson(call.arguments)}
          copied={call.arguments}
        />
        {run && run.result !== '' && (
          <ExactText label={text.toolResult} copyLabel={text.copyResult} value={run.result} copied={run.result} />
        )}
      </div>
    </Collapsible>
  );
}

/** Expands the tool call if its result contains the words of the search that opened its message. */
function useExpandSearched(messageId: string, part: string, { run }: ToolCall): void {
  const searched = useThreadView((view) => (view.searched?.messageId === messageId ? view.searched : null));
  useEffect(() => {
    const result = run?.result.toLowerCase() ?? '';
    if (!searched?.words.some((word) => result.includes(word.toLowerCase()))) return;
    const { setExpanded, seek } = useThreadView.getState();
    setExpanded(part, true);
    seek(null);
  }, [searched, part, run]);
}

function stateWords(run: ToolRun | undefined): string {
  if (!run) return text.toolStates.none;
  const { state, startedAt, finishedAt } = run;
  const took = startedAt !== null && finishedAt !== null ? text.toolTook(finishedAt - startedAt) : null;
  return [text.toolStates[state], took].filter(Boolean).join(' · ');
}

interface ExactTextProps {
  label: string;
  copyLabel: string;
  value: string;
  copied: string;
}

/** Shows a text from a tool or model unchanged, with a button that copies it. */
function ExactText({ label, copyLabel, value, copied: source }: ExactTextProps) {
  const [copied, copy] = useCopy();
  return (
    <div className="min-w-0">
      <div className="flex items-center justify-between gap-2">
        <p className="font-medium text-fg-3 text-xs">{label}</p>
        <Button variant="quiet" className="h-6 px-2 text-xs" onClick={() => void copy(source)}>
          {copied ? text.copied : copyLabel}
        </Button>
      </div>
      <ExactBlock label={label} value={value} />
    </div>
  );
}

interface ToolApprovalProps {
  messageId: string;
  index: number;
  call: ToolCall;
  run: ToolRun;
}

/** Asks for approval of a tool call, with its exact arguments. Nothing runs before a decision. */
function ToolApproval({ messageId, index, call, run }: ToolApprovalProps) {
  const card = useRef<HTMLFieldSetElement>(null);
  const decide = useDecideTool();
  const { failed } = useNotify();
  useEffect(() => {
    if (mayMoveFocus() && card.current) card.current.focus();
  }, []);
  const sendDecision = (decision: ToolDecision) => {
    focusNext(card.current);
    decide.mutate({ messageId, call: index, decision }, { onError: (error) => failed(text.toolDecision, error) });
  };
  return (
    <fieldset
      ref={card}
      tabIndex={-1}
      data-asks
      disabled={decide.isPending}
      className="mb-3 min-w-0 rounded-menu border border-control bg-raised p-3 text-sm shadow-rest"
    >
      <legend className="sr-only">{text.toolAsks(getTitle(call), run.server)}</legend>
      <p className="flex items-center gap-2 font-medium" aria-hidden>
        <Hand size={15} className="shrink-0 text-accent" />
        <span className="min-w-0 wrap-anywhere">{text.toolAsks(getTitle(call), run.server)}</span>
      </p>
      <p className="mt-1 text-fg-2 text-xs">{text.toolAsksNote}</p>
      <div className="my-2">
        <ExactBlock label={text.toolArguments} value={spacedJson(call.arguments)} />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => sendDecision('deny')}>{text.toolDecisions.deny}</Button>
        <Button onClick={() => sendDecision('once')}>{text.toolDecisions.once}</Button>
        <Button onClick={() => sendDecision('chat')}>{text.toolDecisions.chat}</Button>
        <Button onClick={() => sendDecision('always')}>{text.toolDecisions.always}</Button>
      </div>
      <p className="mt-2 text-fg-3 text-xs">{text.toolAlwaysNote}</p>
    </fieldset>
  );
}

/**
 * Whether the card may take the focus: never from a user who is writing. The card gets it rather than a button, so a
 * stray key decides nothing.
 */
function mayMoveFocus(): boolean {
  const focused = document.activeElement;
  return focused === null || focused === document.body || getHandle('composer')?.isIdle() === true;
}

/** Focuses the next open approval, or the composer. */
function focusNext(card: HTMLElement | null): void {
  const others = [...document.querySelectorAll<HTMLElement>('[data-asks]')].filter((other) => other !== card);
  (others[0] ?? getHandle('composer'))?.focus();
}

const proseLine = { heightPx: 24, letters: 95 };
const reasoningLine = { heightPx: 20, letters: 100 };

/** The growing part of an answer: chunks re-render only this. */
function AnswerText({ item, name }: { item: ThreadItem; name: string }) {
  const view = useAnswer(item);
  const shown = item.toolCalls.length > 0 || item.attachments.length > 0;
  const silent = view.tokens.length === 0 && !view.pending && !shown;
  const thinking = item.status === 'streaming' && silent && view.reasoning !== '' && item.thoughtMs === null;
  const waiting = item.status === 'streaming' && silent && !thinking;
  return (
    <>
      {view.reasoning !== '' && <Reasoning reasoning={view.reasoning} thinking={thinking} item={item} />}
      {view.pending && <PlainText text={item.text} />}
      <Prose tokens={view.tokens} live={view.live} />
      {waiting && <Waiting name={name} since={item.createdAt} />}
    </>
  );
}

/** Shows text that isn't parsed yet. It stays blank for 200 ms, because parsing usually takes less. */
function PlainText({ text: source }: { text: string }) {
  const [late, setLate] = useState(false);
  useAwaited();
  useEffect(() => {
    const timer = setTimeout(setLate, 200, true);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="prose" aria-busy>
      {late && (
        <div className="raw">
          <LongText text={source} line={proseLine} />
        </div>
      )}
    </div>
  );
}

/** Shows a dot at once, and after four seconds the name of the model that has not answered yet. */
function Waiting({ name, since }: { name: string; since: number }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.floor((now - since) / 1000);
  return (
    <p className="flex h-6 items-center gap-2 text-fg-3 text-sm tabular-nums">
      <span className="breathe size-2 rounded-full bg-accent" aria-hidden />
      {seconds >= 4 && text.waiting(name, seconds)} {seconds >= 20 && text.waitingLong}
    </p>
  );
}

interface ReasoningProps {
  reasoning: string;
  /** The text of the answer has not begun yet. */
  thinking: boolean;
  item: ThreadItem;
}

function Reasoning({ reasoning, thinking, item }: ReasoningProps) {
  const label = thinking ? (
    <>
      <span className="breathe size-2 shrink-0 rounded-full bg-accent" aria-hidden />
      <span className="shrink-0">{text.thinking}</span>
      <span className="min-w-0 truncate text-fg-3">{lastSentence(reasoning)}</span>
    </>
  ) : (
    text.thought(item.thoughtMs, item.usage?.reasoningTokens ?? null)
  );
  return (
    <Collapsible id={`${getHead(item)}:reasoning`} label={label}>
      <div className="mt-1 mb-3 ml-1.5 whitespace-pre-wrap border-line border-l pl-4 text-fg-2 wrap-anywhere">
        <LongText text={reasoning} line={reasoningLine} />
      </div>
    </Collapsible>
  );
}

/** Returns the newest sentence of the reasoning, on one line and without Markdown's signs. */
const lastSentence = (reasoning: string): string =>
  reasoning
    .slice(-400)
    .split(/(?<=[.!?…])\s+|\n+/)
    .map((sentence) => sentence.replace(/^[\s#>*-]+|[*`_]+/g, ''))
    .findLast((sentence) => /[\p{L}\p{N}]/u.test(sentence)) ?? '';

/** Renders the slices of a parsed document that are near the viewport. With `live`, its last block may still grow. */
function Prose({ tokens, live }: { tokens: readonly Token[]; live: boolean }) {
  useEffect(copySelections, []);
  return (
    <ImagesHere value={() => imagesIn(tokens)}>
      <Slices tokens={tokens} live={live} />
    </ImagesHere>
  );
}

/** The sections of an answer, with the tool calls between them. */
export function AnswerSections({ item, name }: { item: ThreadItem; name: string }) {
  return getSections(item).map((section) => (
    <Fragment key={getHead(section)}>
      <ContextNote fit={section.room} />
      <AnswerText item={section} name={name} />
      <MadeImages files={section.attachments} name={name} />
      <Calls section={section} />
    </Fragment>
  ));
}

function Calls({ section }: { section: ThreadItem }) {
  return section.parts.map(({ id, status, toolCalls }) =>
    toolCalls.map((call, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a call is known by its position, in the core too
      <ToolCallLine key={`${id} ${index}`} messageId={id} index={index} call={call} live={status === 'streaming'} />
    )),
  );
}

/** How messages were summarised or left out to fit this answer’s request into the context. */
function ContextNote({ fit }: { fit: ContextFit | null | undefined }) {
  if (!fit) return null;
  return (
    <p className="mb-2 text-fg-3 text-xs">
      {fit.why === null ? text.summarised(fit.summarised ?? 0) : text.notSummarised(getSentence(fit.why), fit.leftOut)}
    </p>
  );
}
