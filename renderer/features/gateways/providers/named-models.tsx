import { useState } from 'react';
import type { Provider, ServerModel } from '#shared/contract/app/providers.ts';
import { describeError } from '../../../text/error-text.ts';
import { text as modelsText } from '../../../text/models-text.ts';
import { text } from '../../../text/settings-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { ModelFields, newModel } from './server-lists.tsx';
import { useProviderCalls } from './use-provider-calls.ts';

const words = modelsText.byHand;

/** The models added by hand to a provider whose list lacks them. */
export function NamedModels({ provider, onClose }: { provider: Provider; onClose: () => void }) {
  const [models, setModels] = useState<readonly ServerModel[]>(() =>
    provider.models && provider.models.length > 0 ? provider.models : [newModel],
  );
  const { nameModels } = useProviderCalls();
  const failure = nameModels.isError ? describeError(nameModels.error) : null;
  const named = models.filter(({ model }) => model.trim() !== '');
  return (
    <form
      className="mt-3 flex flex-col gap-3 rounded-menu border border-line bg-sunken p-3"
      onSubmit={(event) => {
        event.preventDefault();
        nameModels.mutate({ id: provider.id, models: named }, { onSuccess: onClose });
      }}
    >
      <ModelFields models={models} isAzure={false} note={words.note} onChange={setModels} />
      {failure && (
        <p role="alert" className="text-bad text-sm">
          {failure.sentence} {failure.remedy}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" type="submit" disabled={nameModels.isPending}>
          {words.save}
        </Button>
        <Button onClick={onClose}>{text.cancel}</Button>
      </div>
    </form>
  );
}
