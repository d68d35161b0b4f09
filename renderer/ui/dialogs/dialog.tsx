import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { text } from '../../text/ui-text.ts';
import { Button } from '../elements/button.tsx';
import { classNames } from '../elements/class-names.ts';
import { IconButton } from '../elements/icon-button.tsx';
import { useFinalFocus } from './use-final-focus.ts';
import { useTypedWords } from './use-typed-words.ts';

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** Focused first, instead of the first control. `autoFocus` would keep the dialog from restoring the focus. */
  initialFocus?: RefObject<HTMLElement | null>;
  children: ReactNode;
  /** `picture` is as wide as its content needs, up to the window. */
  width?: keyof typeof widths;
  /** Adds a close button, for content that has none of its own. */
  closable?: boolean;
}

const scrim = 'dialog fixed inset-0 z-40 bg-scrim';

const widths = {
  form: 'max-w-md',
  wide: 'max-w-xl',
  picture: 'w-fit min-w-72 max-w-[min(64rem,calc(100vw-32px))]',
} as const;

interface DialogPopupProps extends Base.Popup.Props {
  ref?: RefObject<HTMLDivElement | null>;
  open: boolean;
}

/** The popup of a dialog. It stays mounted until it has left the screen, and returns the focus to where it was. */
export function DialogPopup({ ref, open, ...props }: DialogPopupProps) {
  const own = useRef<HTMLDivElement>(null);
  const popup = ref ?? own;
  return <Base.Popup {...props} ref={popup} finalFocus={useFinalFocus({ popup, open })} />;
}

/** A modal dialog. Escape and a click outside ask before text typed into a form is lost. */
export function Dialog({
  open,
  onOpenChange,
  title,
  initialFocus,
  children,
  width = 'form',
  closable = false,
}: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  const { onFocus, isTyped } = useTypedWords(popup);
  const [asking, setAsking] = useState(false);
  const change = (next: boolean, { reason, cancel }: Base.Root.ChangeEventDetails) => {
    const isUnconfirmed = reason === 'escape-key' || reason === 'outside-press';
    if (!next && isUnconfirmed && (asking || isTyped())) {
      cancel();
      setAsking(!asking);
    } else close(next);
  };
  const close = (next: boolean) => {
    setAsking(false);
    onOpenChange(next);
  };
  return (
    <Base.Root open={open} onOpenChange={change}>
      <Base.Portal>
        <Base.Backdrop className={scrim} />
        <DialogPopup
          ref={popup}
          open={open}
          onFocus={onFocus}
          // The close button must not be focused, because Escape would first dismiss its tooltip.
          initialFocus={initialFocus ?? (closable ? popup : undefined)}
          className={classNames(
            'dialog fixed inset-x-4 top-1/2 z-40 mx-auto max-h-[calc(100dvh-2*max(16px,var(--bar-height)))] -translate-y-1/2 overflow-auto rounded-dialog border border-line bg-raised p-5 shadow-modal',
            widths[width],
          )}
        >
          <div className="mb-2 flex items-start gap-3">
            <Base.Title className="min-w-0 flex-1 font-semibold text-md wrap-anywhere">{title}</Base.Title>
            {closable && <Base.Close render={<IconButton icon={X} label={text.close} className="-mt-1 -mr-2" />} />}
          </div>
          {children}
          {open && asking && <AskBeforeLoss onKeep={() => setAsking(false)} onDiscard={() => close(false)} />}
        </DialogPopup>
      </Base.Portal>
    </Base.Root>
  );
}

function AskBeforeLoss({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) {
  const keep = useRef<HTMLButtonElement>(null);
  const before = useRef(document.activeElement);
  useEffect(() => {
    keep.current?.focus();
    const back = before.current;
    return () => {
      if (back instanceof HTMLElement && back.isConnected) back.focus();
    };
  }, []);
  return (
    <div
      role="alert"
      className="sticky -bottom-5 -mx-5 mt-4 -mb-5 flex flex-wrap items-center justify-end gap-2 border-line border-t bg-sunken px-5 py-3"
    >
      <p className="mr-auto text-sm">{text.typedUnsaved}</p>
      <Button variant="danger" onClick={onDiscard}>
        {text.discard}
      </Button>
      <Button ref={keep} variant="primary" onClick={onKeep}>
        {text.keepWriting}
      </Button>
    </div>
  );
}

/** Details of one thing at the right edge. It fills the screen in a narrow window. */
export function Sheet({ open, onOpenChange, title, initialFocus, children }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className={scrim} />
        <DialogPopup
          open={open}
          initialFocus={initialFocus}
          className="dialog sheet fixed top-[max(6px,var(--bar-height))] right-1.5 bottom-1.5 z-40 flex w-[420px] max-w-[calc(100vw-12px)] flex-col overflow-hidden rounded-dialog border border-line bg-raised shadow-modal max-sm:inset-x-0 max-sm:top-(--bar-height) max-sm:bottom-0 max-sm:w-full max-sm:max-w-full max-sm:rounded-none"
        >
          <header className="flex h-12 shrink-0 items-center gap-2 pr-2 pl-5">
            <Base.Title className="min-w-0 flex-1 truncate font-semibold text-md">{title}</Base.Title>
            <Base.Close render={<IconButton icon={X} label={text.close} />} />
          </header>
          <div className="min-h-0 flex-1 overflow-auto px-5 pb-5">{children}</div>
        </DialogPopup>
      </Base.Portal>
    </Base.Root>
  );
}

/** The sidebar of a narrow window, from the left. */
export function SideDrawer({ open, onOpenChange, title, children }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className={scrim} />
        <DialogPopup
          open={open}
          className="dialog sheet fixed inset-y-0 left-0 z-40 flex w-[300px] max-w-[min(85vw,100vw-var(--bar-right))] flex-col border-line border-r bg-window shadow-modal [--sheet-from:-16px]"
        >
          <Base.Title className="sr-only">{title}</Base.Title>
          {children}
        </DialogPopup>
      </Base.Portal>
    </Base.Root>
  );
}
