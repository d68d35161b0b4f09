import type { RefObject } from 'react';
import type { ImportPreview } from '#shared/contract/chat/transfer.ts';
import { visibleText } from '#shared/visible.ts';
import { getDay } from '../../../text/format.ts';
import { text } from '../../../text/transfer-text.ts';
import { Button } from '../../../ui/elements/button.tsx';

const maxShown = 200;

interface ImportFormProps {
  preview: ImportPreview;
  /** The name of the file. */
  name: string;
  busy: boolean;
  /** The button that continues, which is focused first. */
  goOn: RefObject<HTMLButtonElement | null>;
  onImport: () => void;
  onCancel: () => void;
}

/** A preview of an import: what would be imported and what would not. */
export function ImportForm({ preview, name, busy, goOn, onImport, onCancel }: ImportFormProps) {
  const brought = preview.conversations.filter((conversation) => conversation.newMessages > 0);
  const [grown, fresh] = [brought.filter((chat) => chat.alreadyHere), brought.filter((chat) => !chat.alreadyHere)];
  const known = preview.conversations.length - brought.length;
  const added = grown.reduce((sum, chat) => sum + chat.newMessages, 0);
  const isNew = brought.length > 0;
  return (
    <>
      <p className="mb-2 text-fg-2 wrap-anywhere">{text.from(visibleText(name))}</p>
      {!isNew && <p className="mb-2 text-fg-2">{text.allHere(known)}</p>}
      {isNew && grown.length + known > 0 && (
        <p className="mb-2">{text.outcome({ fresh: fresh.length, grown: grown.length, added, known })}</p>
      )}
      {isNew && (
        <section
          aria-label={text.preview}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
          tabIndex={0}
          className="mb-3 max-h-56 overflow-y-auto rounded-menu border border-line"
        >
          <ul>
            {[...grown, ...fresh].slice(0, maxShown).map((chat) => (
              <li key={chat.sourceId} className="flex items-baseline gap-3 px-3 py-1.5">
                <span className="min-w-0 flex-1 wrap-anywhere">{chat.title}</span>
                <span className="shrink-0 text-fg-3 text-xs tabular-nums">
                  {chat.alreadyHere ? text.newMessages(chat.newMessages) : text.messages(chat.messages)} ·{' '}
                  {getDay(chat.createdAt)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {preview.leftOut.length > 0 && (
        <div className="mb-2 text-fg-2">
          <p>{text.leftOut}</p>
          <ul className="list-disc pl-5">
            {preview.leftOut.map(({ what, count }) => (
              <li key={what}>{text.left[what](count)}</li>
            ))}
          </ul>
        </div>
      )}
      {grown.length > 0 && <p className="mb-2 text-fg-2">{text.grownNote}</p>}
      {isNew && preview.source !== 'portico' && <p className="text-fg-2">{text.unknownCost}</p>}
      <div className="mt-4 flex justify-end gap-2">
        <Button ref={isNew ? undefined : goOn} disabled={busy} onClick={onCancel}>
          {isNew ? text.cancel : text.close}
        </Button>
        {isNew && (
          <Button ref={goOn} variant="primary" disabled={busy} onClick={onImport}>
            {busy ? text.importing : text.import(fresh.length, added)}
          </Button>
        )}
      </div>
    </>
  );
}
