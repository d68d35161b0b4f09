import { useOwnUse } from '../../api/use-catalogue.ts';
import { count } from '../../text/format.ts';
import { text } from '../../text/models-text.ts';
import { Facts } from '../../ui/elements/facts.tsx';
import { Money } from '../../ui/elements/money.tsx';
import { Skeleton } from '../../ui/notices/skeleton.tsx';

const { details } = text;

/** What the account spent on a model, and how fast it was. */
export function OwnUse({ model }: { model: string }) {
  const use = useOwnUse(model);
  return (
    <>
      <h3 className="mt-6 mb-1 font-semibold text-sm">{details.yours}</h3>
      {use.isPending && <Skeleton className="h-9 w-full" />}
      {use.isError && <p className="text-fg-2">{details.useFailed}</p>}
      {use.data === null && <p className="text-fg-2">{details.useNotReported}</p>}
      {use.data?.requests === 0 && <p className="text-fg-2">{details.neverUsed}</p>}
      {use.data && use.data.requests > 0 && (
        <Facts
          facts={[
            [details.requests, count(use.data.requests)],
            [details.spent, <Money key="spent" amount={use.data.costUsd} />],
            ...(use.data.tokensPerSecond === null
              ? []
              : [
                  [details.speed, details.speedValue(Math.round(use.data.tokensPerSecond), use.data.measured)] as const,
                ]),
            ...(use.data.firstTokenMs === null
              ? []
              : [[details.firstToken, details.seconds((use.data.firstTokenMs / 1000).toFixed(1))] as const]),
          ]}
        />
      )}
    </>
  );
}
