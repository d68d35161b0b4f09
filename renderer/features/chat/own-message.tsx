import { Check, Copy } from 'lucide-react';
import { memo, useState } from 'react';
import type { Message } from '#shared/contract/conversations.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { useCopy } from '../../ui/use-copy.ts';
import { AttachmentList } from './attachment-list.tsx';
import { text } from './text.ts';

const longest = 4000;

/** What the user wrote, as written. */
export const OwnMessage = memo(function OwnMessage({ message }: { message: Message }) {
  const [copied, copy] = useCopy();
  const [whole, setWhole] = useState(false);
  const cut = !whole && message.text.length > longest;
  return (
    <article aria-label={text.you} className="group flex flex-col items-end pt-4 pb-2">
      <h2 className="sr-only">{text.you}</h2>
      {message.attachments.length > 0 && (
        <div className="mb-1.5 flex max-w-[82%] justify-end">
          <AttachmentList files={message.attachments} />
        </div>
      )}
      {message.text.trim() !== '' && (
        <div className="max-w-[82%] rounded-bubble bg-bubble px-4 py-2.5 text-md wrap-anywhere whitespace-pre-wrap">
          {cut ? `${message.text.slice(0, longest)}…` : message.text}
          {cut && (
            <Button className="mt-2 block" onClick={() => setWhole(true)}>
              {text.showAll(message.text.length)}
            </Button>
          )}
        </div>
      )}
      <div className="flex h-8 items-center opacity-0 transition-opacity duration-[120ms] focus-within:opacity-100 group-hover:opacity-100">
        <IconButton
          icon={copied ? Check : Copy}
          size="sm"
          label={copied ? text.copied : text.copyMessage}
          onClick={() => void copy(message.text)}
        />
      </div>
    </article>
  );
});
