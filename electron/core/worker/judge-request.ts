import type { OpenKind } from '#shared/contract/app/reconciliation.ts';

/** A request as the books have it. Amounts in nano-USD. */
export interface BookedRequest {
  readonly id: string;
  readonly at: number;
  readonly status: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly byok: boolean;
  readonly charge: bigint;
  readonly upstreamCost: bigint;
  readonly tokens: number;
  readonly priced: boolean;
  /** What the ledger’s lines of it add up to; null: the gateway tells no ledger. */
  readonly ledger: bigint | null;
  /** Made by this app. */
  readonly own: boolean;
  /** The app asked for it on another computer, with the same key. */
  readonly otherComputer: boolean;
  /** The provider bills it to the person. */
  readonly ownKey: boolean;
  /** An answer that still runs has asked it. */
  readonly answering: boolean;
}

/** What the app has kept of a request. */
export interface ToldRequest {
  readonly id: string;
  readonly requestId: string | null;
  readonly at: number;
  /** Nano-USD; null: not known. */
  readonly cost: bigint | null;
  readonly conversationId: string;
  /** Its message, or for what is no answer its chat, is there. */
  readonly there: boolean;
}

export type MatchedKind =
  | 'chats'
  | 'deleted'
  | 'otherPrograms'
  | 'otherComputers'
  | 'uncharged'
  | 'unknown'
  | 'explained';

export type Verdict =
  | { readonly is: 'running' }
  | { readonly is: 'matched'; readonly kind: MatchedKind }
  | { readonly is: 'open'; readonly kind: OpenKind; readonly told: bigint | null; readonly booked: bigint | null };

const matched = (kind: MatchedKind): Verdict => ({ is: 'matched', kind });

/** What the chat has to say of a request: with a caller’s own key what the provider bills, else what was charged. */
export const bookedCost = ({ byok, upstreamCost, charge }: BookedRequest): bigint => (byok ? upstreamCost : charge);

/** What books and chats say of a request that the books have. */
export function judgeBooked(request: BookedRequest, told: ToldRequest | null, explained: boolean): Verdict {
  const { status, own, answering } = request;
  if (status === 'running' || answering) return { is: 'running' };
  const found = differenceIn(request, told);
  if (found !== null) return explained ? matched('explained') : found;
  if (told === null) return matched(own ? 'uncharged' : request.otherComputer ? 'otherComputers' : 'otherPrograms');
  if (told.cost === null) return matched('unknown');
  if (told.cost === 0n && status !== 'succeeded') return matched('uncharged');
  return matched(told.there ? 'chats' : 'deleted');
}

function differenceIn(request: BookedRequest, told: ToldRequest | null): Verdict | null {
  const { ledger, charge, own, status } = request;
  const booked = bookedCost(request);
  const open = (kind: OpenKind, of: bigint | null): Verdict => ({
    is: 'open',
    kind,
    told: told?.cost ?? null,
    booked: of,
  });
  if (ledger !== null && ledger !== charge) return open('ledger_differs', ledger);
  // What failed without a charge need not be known by any chat.
  if (told === null) return own && (booked > 0n || status === 'succeeded') ? open('no_chat', booked) : null;
  if (told.cost === null) return isUnknownTo(request) ? null : open('cost_open', booked);
  return told.cost === booked || (status === 'failed' && told.cost === 0n) ? null : open('cost_differs', booked);
}

/** The books do not know either: no price, or an answer that broke off and that only its provider could price. */
const isUnknownTo = ({ status, ownKey, priced, tokens, charge, upstreamCost }: BookedRequest): boolean =>
  charge === 0n && ((status !== 'succeeded' && ownKey) || (!priced && tokens > 0 && upstreamCost === 0n));

/** What is said of a request that the app has sent to this account and that its books do not have. */
export function judgeUnbooked({ cost }: ToldRequest, explained: boolean): Verdict {
  if (cost === 0n) return matched('uncharged');
  if (explained) return matched('explained');
  return { is: 'open', kind: cost === null ? 'cost_open' : 'no_record', told: cost, booked: null };
}
