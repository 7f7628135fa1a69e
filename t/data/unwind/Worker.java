// Interpreted and compiled frames, collections, garbage. Worker SECONDS
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

public class Worker {
	static int fib(int n)
	{
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	public static void main(String[] args)
	{
		long end = System.nanoTime() + (long)(Double.parseDouble(args[0]) * 1e9), sum = 0;
		Map<String, Integer> counts = new HashMap<>();

		while (System.nanoTime() < end) {
			sum += fib(20);
			for (int i = 0; i < 1000; i++)
				counts.merge("k" + i % 97, 1, Integer::sum);
			String[] keys = counts.keySet().toArray(new String[0]);
			Arrays.sort(keys);
			sum += keys[0].hashCode();
		}
		System.exit(sum == 0 ? 1 : 0);
	}
}
