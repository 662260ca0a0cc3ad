import { useQuery } from '@tanstack/react-query';
import { reading } from '../reading.ts';
import { useSession } from '../session.tsx';

export function useUsage() {
  const { store } = useSession();
  return useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => store.usage.get(reading(signal)),
  });
}
