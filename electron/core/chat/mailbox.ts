import type { ChatEvent } from '#shared/contract/chat.ts';
import { openWake } from '../wake.ts';

type Delta = Extract<ChatEvent, { type: 'text-delta' | 'reasoning-delta' }>;

/** What one watcher has not read yet: joined deltas, and never more than a fixed amount. */
export interface Mailbox {
  post(event: ChatEvent): void;
  /** Waits for something to read; false once the signal is aborted. */
  ready(signal: AbortSignal | undefined): Promise<boolean>;
  /** Everything posted since the last call. `overflow`: deltas were dropped, a fresh snapshot must come first. */
  take(): { events: ChatEvent[]; overflow: boolean };
}

const maxChars = 262_144;
const maxEvents = 64;

export function openMailbox(): Mailbox {
  const wake = openWake();
  let events: ChatEvent[] = [];
  let chars = 0;
  let overflow = false;

  /** What a snapshot does not tell: the ends of answers. The latest of them are kept. */
  const spill = () => {
    overflow = true;
    events = events.filter((event) => event.type === 'message-updated').slice(-maxEvents / 2);
    chars = 0;
  };

  return {
    post(event) {
      if (isDelta(event)) {
        if (overflow) return wake.wake();
        chars += event.text.length;
        // The last one about the same answer: several answers may be written at once.
        const at = events.findLastIndex((other) => aboutOf(other) === event.messageId);
        const last = events[at];
        if (last && isDelta(last) && last.type === event.type) events[at] = { ...last, text: last.text + event.text };
        else events.push(event);
      } else if (!overflow || event.type === 'message-updated') events.push(event);
      if (chars > maxChars || events.length > maxEvents) spill();
      wake.wake();
    },
    ready: (signal) => wake.next(signal),
    take() {
      const taken = { events, overflow };
      events = [];
      chars = 0;
      overflow = false;
      return taken;
    },
  };
}

const aboutOf = (event: ChatEvent): string | null =>
  isDelta(event) ? event.messageId : event.type === 'snapshot' ? null : event.message.id;

const isDelta = (event: ChatEvent): event is Delta => event.type === 'text-delta' || event.type === 'reasoning-delta';
