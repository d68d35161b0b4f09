import { useQuery } from '@tanstack/react-query';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { useFile } from './use-file.ts';

/** The first page and the number of pages of an attached PDF, on request. Cached while the window is open. */
export function usePdfPage(attachment: Attachment, wanted: boolean) {
  const pdf = attachment.kind === 'pdf';
  const file = useFile(attachment, pdf && wanted);
  const page = useQuery({
    queryKey: ['pdf-page', attachment.id],
    queryFn: async () => {
      // The PDF library is large, so it is loaded with the first preview.
      const [{ firstPage }, bytes] = await Promise.all([import('./pdf-page.ts'), file.data?.arrayBuffer()]);
      return firstPage(new Uint8Array(bytes ?? new ArrayBuffer(0)));
    },
    enabled: pdf && wanted && file.data !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return { page: page.data ?? null, failed: page.isError, gone: file.isError };
}
