import { useState } from 'react';
import type { Provider } from '#shared/contract/app/providers.ts';
import { useOpenLink } from '../../../api/use-core.ts';
import { describeError } from '../../../text/error-text.ts';
import { text } from '../../../text/settings-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { unfinishedForms } from '../../../ui/forms/unfinished-forms.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useProviderCalls } from './use-provider-calls.ts';

const words = text.providers;

interface KeyFormProps {
  provider: Provider;
  onCancel: () => void;
  onSaved: () => void;
}

const drafts = unfinishedForms<{ readonly baseUrl: string; readonly elsewhere: boolean }>();

/** True if the form of this provider was left before it was saved. */
export const isKeyFormLeft = ({ id }: Provider): boolean => drafts.isLeft(id);

/** A form for a key. The key doesn't stay in the page after it was saved or the form was left. */
export function KeyForm({ provider, onCancel, onSaved }: KeyFormProps) {
  const own = provider.ownServer;
  const [key, setKey] = useState('');
  const form = drafts.useUnfinished(provider.id, {
    baseUrl: provider.baseUrl ?? '',
    elsewhere: provider.movedFrom !== null,
  });
  const { baseUrl, elsewhere } = form.value;
  const { setKey: save } = useProviderCalls();
  const openLink = useOpenLink();
  const { failed } = useNotify();
  const failure = save.isError ? describeError(save.error) : null;
  const withAddress = own || elsewhere;
  const complete = (own || key.trim().length >= 8) && (!withAddress || baseUrl.trim() !== '');
  const address = withAddress ? baseUrl.trim() : provider.movedFrom;
  // The form shows why it was refused.
  const submit = () => {
    const entry = { id: provider.id, key: key.trim() || null, baseUrl: address };
    return form.finishAfter(save.mutateAsync(entry)).then(onSaved, () => {});
  };
  return (
    <form
      className="mt-3 flex flex-col gap-3 rounded-menu border border-line bg-sunken p-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete) void submit();
      }}
    >
      {withAddress && (
        <TextField
          label={words.baseUrl}
          note={own ? words.baseUrlNote : words.otherAddressNote}
          type="url"
          autoFocus
          value={baseUrl}
          onChange={(event) => form.change({ baseUrl: event.target.value, elsewhere })}
        />
      )}
      <TextField
        label={own ? words.optionalKey : words.key}
        type="password"
        autoComplete="off"
        autoFocus={!own}
        value={key}
        problem={failure ? `${failure.sentence} ${failure.remedy}` : undefined}
        onChange={(event) => setKey(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" type="submit" disabled={!complete || save.isPending}>
          {save.isPending ? words.checking : words.save}
        </Button>
        <Button onClick={form.giveUp(onCancel)}>{text.cancel}</Button>
        {!own && (
          <Button
            variant="quiet"
            aria-pressed={elsewhere}
            onClick={() => form.change({ baseUrl, elsewhere: !elsewhere })}
          >
            {elsewhere ? words.usualAddress : words.otherAddress}
          </Button>
        )}
        {provider.keyPage && (
          <Button
            variant="quiet"
            onClick={() =>
              openLink.mutate(provider.keyPage ?? '', { onError: (error) => failed(words.keyPage, error) })
            }
          >
            {words.keyPage}
          </Button>
        )}
      </div>
    </form>
  );
}
