import { useRef } from 'react';
import type { RoutePreview } from '#shared/contract/chat/routing.ts';
import { getHandle } from '../../../handles/handles.ts';
import { type RouteAsked, useThreadView } from '../../../navigation/thread-view.ts';
import { composerText } from '../../../text/composer-text.ts';
import { costsText as chatText } from '../../../text/costs-text.ts';
import { describeError, getSentence } from '../../../text/error-text.ts';
import { usdRange } from '../../../text/format.ts';
import { routingText as text } from '../../../text/routing-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { Remedy } from '../../../ui/notices/remedy.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { CapSettings } from '../notices/notice-row.tsx';
import { RouterCandidates } from '../routing/router-candidates.tsx';
import { useRoutePreview } from '../routing/use-routing.ts';

interface ConfirmRouteProps {
  /** The message to send; null closes the dialog. */
  asked: RouteAsked | null;
  onRun: () => void;
  /** Null if another model cannot be chosen from here. */
  onOther: (() => void) | null;
  onCancel: () => void;
}

/**
 * Confirms the router’s choice before a message is sent: the model, the reason and the cost. Nothing is stored or
 * charged yet.
 */
export function ConfirmRoute({ asked, onRun, onOther, onCancel }: ConfirmRouteProps) {
  const run = useRef<HTMLButtonElement>(null);
  const close = (open: boolean) => !open && onCancel();
  return (
    <Dialog open={asked !== null} onOpenChange={close} title={text.confirmTitle} initialFocus={run}>
      {asked && <Preview asked={asked} />}
      {/* The Enter key that sent the message may still be held down; it must not confirm the dialog. */}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>{composerText.cancel}</Button>
        {onOther && <Button onClick={onOther}>{text.chooseOther}</Button>}
        <Button
          ref={run}
          variant="primary"
          onKeyDown={(event) => event.repeat && event.preventDefault()}
          onClick={onRun}
        >
          {text.run}
        </Button>
      </div>
    </Dialog>
  );
}

/** Confirms the router's choice before another answer or an edited message. */
export function ConfirmAgain() {
  const confirming = useThreadView((view) => view.confirming);
  const close = () => useThreadView.getState().setConfirming(null);
  return (
    <ConfirmRoute
      asked={confirming?.asked ?? null}
      onRun={() => {
        close();
        confirming?.run();
      }}
      onOther={
        confirming?.other
          ? () => {
              close();
              getHandle('composer')?.pickModel();
            }
          : null
      }
      onCancel={close}
    />
  );
}

function Preview({ asked }: { asked: RouteAsked }) {
  const { data, error } = useRoutePreview(asked);
  if (error) {
    const failure = describeError(error);
    return (
      <Notice tone="warn">
        {text.previewFailed} {failure.sentence} <Remedy failure={failure} byItself />
      </Notice>
    );
  }
  if (!data) return <SkeletonRows rows={4} label={text.loadingPreview} />;
  return data.known ? <Decision preview={data} /> : <p className="text-fg-2 text-sm">{text.previewUnknown}</p>;
}

function Decision({ preview }: { preview: Extract<RoutePreview, { known: true }> }) {
  const { decision, costUsd, simulated, alternative, obstacles } = preview;
  const { selected, policy, tier, relaxed, candidates } = decision;
  const able = candidates.filter(({ score }) => score !== null).length;
  return (
    <div className="flex flex-col gap-3 text-sm">
      <div className="flex flex-col gap-1">
        <p className="font-medium">{text.wouldChoose(selected.name, able)}</p>
        <p className="text-fg-2">
          {text.basis(policy, tier)} {relaxed && text.relaxed}
        </p>
      </div>
      <div className="flex flex-col gap-1 rounded-menu border border-line bg-sunken p-3 tabular-nums">
        <p>
          {text.wouldCost(costUsd && usdRange(costUsd))} {simulated && chatText.testCredits}
        </p>
        {alternative && (
          <p className="text-fg-2">
            {text.nextBest(alternative.name, alternative.costUsd && usdRange(alternative.costUsd))}
          </p>
        )}
      </div>
      {obstacles.map((obstacle) => (
        <Notice key={obstacle.message} tone="warn">
          {getSentence(obstacle)}
        </Notice>
      ))}
      {candidates.length > 0 && <RouterCandidates decision={decision} />}
      <p className="text-fg-3 text-xs">{text.confirmNote}</p>
    </div>
  );
}

/**
 * Shown when a spending limit refused another answer or an edited message, with the reason and the options. Nothing was
 * stored or charged.
 */
export function OverCap() {
  const overCap = useThreadView((view) => view.overCap);
  const close = () => useThreadView.getState().setOverCap(null);
  const anyway = () => {
    close();
    overCap?.anyway();
  };
  return (
    <Dialog open={overCap !== null} onOpenChange={(open) => !open && close()} title={composerText.overCapTitle}>
      <p className="text-fg-2 text-sm">{overCap?.sentence}</p>
      <div className="mt-4 flex flex-wrap items-center justify-end gap-2">
        {/* The link leads to another page, so it also closes the dialog. */}
        <span className="contents" onClickCapture={close}>
          <CapSettings />
        </span>
        <Button onClick={close}>{composerText.cancel}</Button>
        <Button variant="primary" onClick={anyway}>
          {composerText.sendAnyway}
        </Button>
      </div>
    </Dialog>
  );
}
