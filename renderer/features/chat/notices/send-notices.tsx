import type { ReactNode } from 'react';
import type { CapState } from '#shared/contract/chat/caps.ts';
import type { Quote } from '#shared/contract/chat/quotes.ts';
import { getOffer } from '../../../actions/offers.ts';
import { useOutlook } from '../../../api/use-billing-account.ts';
import { usePayer } from '../../../api/use-core.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { costsText } from '../../../text/costs-text.ts';
import { text as creditsText } from '../../../text/credits-text.ts';
import { describeError, getSentence } from '../../../text/error-text.ts';
import { usd, usdRange } from '../../../text/format.ts';
import { billingAccountName } from '../../../ui/elements/billing-account-name.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { buttonLink, Link } from '../../../ui/elements/link.tsx';
import { FailureWords } from '../../../ui/notices/remedy.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useOptions } from '../../drafts/options/use-options.ts';
import { useCompactQuote } from '../context/use-summary.ts';
import { CapSettings, NoticeRow } from './notice-row.tsx';

/** Notices about what prevents the next message, such as a file, the context or a spending limit. */
export function QuoteNotices({
  quote,
  chat,
  conversationId,
  model,
  onModel,
  onContext,
}: {
  quote: Quote;
  /** Key of the chat whose options apply to the message. */
  chat: string;
  conversationId: string | null;
  model: string;
  onModel: () => void;
  onContext: () => void;
}) {
  const unread = quote.obstacles.filter(({ code }) => code === 'unsupported_modality');
  const others = quote.obstacles.filter(({ code }) => code !== 'unsupported_modality');
  // The credits don't cover the gateway's hold, so this message can't be sent as it is, even if the average cost of
  // messages suggests that it can.
  const isShort = others[0]?.code === 'insufficient_credits';
  const shorter = quote.affordableTokens !== null && <ShorterAnswer chat={chat} maxTokens={quote.affordableTokens} />;
  return (
    <>
      {unread[0] && (
        <NoticeRow tone="warn" actions={<Button onClick={onModel}>{text.otherModel}</Button>}>
          {getSentence(unread[0])}
        </NoticeRow>
      )}
      {others[0] && (
        <NoticeRow tone="warn" actions={isShort ? shorter : obstacleActions(others[0].code, onModel)}>
          {isShort ? creditsText.noneCanBeSent : getSentence(others[0])}
        </NoticeRow>
      )}
      {quote.leftOutFiles.length > 0 && (
        <NoticeRow tone="info" actions={<Button onClick={onModel}>{text.otherModel}</Button>}>
          {text.leftOutFiles(quote.leftOutFiles.join(', '), quote.modelName)}
        </NoticeRow>
      )}
      {quote.context.overflows && (
        <NoticeRow tone="warn" actions={<Button onClick={onContext}>{text.chooseWay}</Button>}>
          {overflowing(quote.context)}
        </NoticeRow>
      )}
      {quote.context.summarises && conversationId !== null && (
        <NoticeRow tone="info" actions={<Button onClick={onContext}>{text.chooseWay}</Button>}>
          <SummaryFirst conversationId={conversationId} model={model} />
        </NoticeRow>
      )}
      <CapNotices caps={quote.caps} />
      {!isShort && <LowFunds model={model} />}
    </>
  );
}

/** Limits the answers of this chat to what the credits cover. */
function ShorterAnswer({ chat, maxTokens }: { chat: string; maxTokens: number }) {
  const { query, set } = useOptions(chat);
  const { failed } = useNotify();
  const options = query.data;
  if (!options) return null;
  const limit = () => {
    const parameters = { ...options.parameters, maxTokens };
    set.mutate({ ...options, parameters }, { onError: (error) => failed(text.optionsNotKept, error) });
  };
  return <Button onClick={limit}>{creditsText.limitAnswer(maxTokens)}</Button>;
}

/** Warns before a request fails for lack of credits. */
function LowFunds({ model }: { model: string }) {
  const billingAccount = usePayer(model);
  const outlook = useOutlook(billingAccount && billingAccount.billing !== 'meter_only' ? billingAccount.id : null).data;
  if (!billingAccount || !outlook?.low) return null;
  return (
    <NoticeRow
      tone="warn"
      actions={
        <Link to={{ page: 'credits' }} className={buttonLink}>
          {creditsText.toCredits}
        </Link>
      }
    >
      {creditsText.lowIn(billingAccountName(billingAccount), outlook.messagesLeft)}
    </NoticeRow>
  );
}

/** Returns a sentence about what doesn't fit into the context, and its limit. */
export const overflowing = ({ notSentIds, limitTokens, reservedTokens, maxMessages }: Quote['context']): string =>
  text.overflowing({
    leftOut: notSentIds.length,
    limit: limitTokens ?? 0,
    reserved: reservedTokens,
    maxMessages,
  });

/** Returns the buttons that help against a refusal that the quote foresees. */
function obstacleActions(code: string, onModel: () => void): ReactNode {
  if (code === 'no_eligible_model') return <NoModel onModel={onModel} />;
  return code === 'price_limit_exceeded' && <OverPriceLimit onModel={onModel} />;
}

function OverPriceLimit({ onModel }: { onModel: () => void }) {
  return (
    <>
      <Button onClick={() => getOffer('chatOptions')?.run()}>{text.options}</Button>
      <Button onClick={onModel}>{text.otherModel}</Button>
    </>
  );
}

function NoModel({ onModel }: { onModel: () => void }) {
  return (
    <>
      <Link to={{ page: 'settings', section: 'providers' }} className={buttonLink}>
        {text.addKey}
      </Link>
      <Button onClick={onModel}>{text.otherModel}</Button>
    </>
  );
}

/** The cost of a summary that will be written before the message. */
function SummaryFirst({ conversationId, model }: { conversationId: string; model: string }) {
  const { data, isPending } = useCompactQuote(conversationId, model, true);
  if (isPending) return text.compactAsking;
  if (!data) return text.summarisesNothing;
  const cost = data.costUsd && usdRange(data.costUsd);
  return text.summarisesFirst(data.messages, cost && data.simulated ? costsText.inTestCredits(cost) : cost);
}

/** Spending limits that the next message comes near or may exceed. */
export function CapNotices({ caps }: { caps: readonly CapState[] }) {
  return caps.map((cap) => (
    <NoticeRow
      key={`${cap.scope} ${cap.model}`}
      tone={cap.state === 'over' ? 'warn' : 'info'}
      actions={<CapSettings />}
    >
      {capSentence(cap)}
    </NoticeRow>
  ));
}

const capSentence = ({ scope, model, state, capUsd, afterUsd }: CapState): string =>
  (state === 'over' ? text.capOver : text.capNear)(
    scope === 'model' ? text.capOfModel(model ?? '') : text.capScopes[scope],
    usd(capUsd),
    usd(afterUsd),
  );

interface SendFailureProps {
  error: Error;
  onAnyway: () => void;
  onContext: () => void;
  onModel: () => void;
}

/** Shown when sending failed and the message is back in the composer, with the reason and the options. */
export function SendFailure({ error, onAnyway, onContext, onModel }: SendFailureProps) {
  const failure = describeError(error);
  const actions: Partial<Record<string, ReactNode>> = {
    cap_exceeded: (
      <>
        <Button onClick={onAnyway}>{text.sendAnyway}</Button>
        <CapSettings />
      </>
    ),
    context_length_exceeded: <Button onClick={onContext}>{text.chooseWay}</Button>,
    unsupported_modality: <Button onClick={onModel}>{text.otherModel}</Button>,
    no_eligible_model: <NoModel onModel={onModel} />,
    price_limit_exceeded: <OverPriceLimit onModel={onModel} />,
  };
  return (
    <div role="alert">
      <NoticeRow tone="bad" actions={actions[failure.code]}>
        {text.sendFailed} <FailureWords failure={failure} />
      </NoticeRow>
    </div>
  );
}
