import { useState } from 'react';
import type { Provider } from '#shared/contract/providers.ts';
import { describeError } from '../../lib/error-text.ts';
import { useOpenLink } from '../../lib/use-core.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useNotify } from '../../ui/use-notify.ts';
import { text } from './text.ts';
import { useProviderCalls } from './use-settings-calls.ts';

const words = text.providers;

/** Takes a key, hands it over and forgets it. */
export function KeyForm({ provider, onDone }: { provider: Provider; onDone: () => void }) {
  const own = provider.ownServer;
  const [key, setKey] = useState('');
  const [baseUrl, setBaseUrl] = useState(provider.baseUrl ?? '');
  const { setKey: save } = useProviderCalls();
  const openLink = useOpenLink();
  const { failed } = useNotify();
  const failure = save.isError ? describeError(save.error) : null;
  const complete = own ? baseUrl.trim() !== '' : key.trim().length >= 8;
  return (
    <form
      className="mt-3 flex flex-col gap-3 rounded-menu border border-line bg-sunken p-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete)
          save.mutate(
            { id: provider.id, key: key.trim() || null, baseUrl: own ? baseUrl.trim() : null },
            { onSuccess: onDone },
          );
      }}
    >
      {own && (
        <TextField
          label={words.baseUrl}
          note={words.baseUrlNote}
          type="url"
          autoFocus
          value={baseUrl}
          onChange={(event) => setBaseUrl(event.target.value)}
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
        <Button look="primary" type="submit" disabled={!complete || save.isPending}>
          {save.isPending ? words.checking : words.save}
        </Button>
        <Button onClick={onDone}>{text.cancel}</Button>
        {provider.keyPage && (
          <Button
            look="quiet"
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
