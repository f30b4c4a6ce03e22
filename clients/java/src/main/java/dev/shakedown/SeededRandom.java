package dev.shakedown;

import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A seeded source of random numbers: xoshiro256++. One seed gives the same numbers in every library of Shakedown.
 *
 * <p>The methods of {@link RandomGenerator} draw from it too, in the ways of Java.
 */
public final class SeededRandom implements RandomGenerator {
    private long s0;
    private long s1;
    private long s2;
    private long s3;

    /**
     * The source that a seed stands for.
     *
     * @param seed the seed
     */
    public SeededRandom(long seed) {
        final long step = 0x9e3779b97f4a7c15L;
        s0 = splitMix(seed + step);
        s1 = splitMix(seed + 2 * step);
        s2 = splitMix(seed + 3 * step);
        s3 = splitMix(seed + 4 * step);
    }

    private static long splitMix(long seed) {
        long z = (seed ^ seed >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    /** Draws 64 random bits. */
    @Override
    public long nextLong() {
        long result = Long.rotateLeft(s0 + s3, 23) + s0;
        long t = s1 << 17;
        s2 ^= s0;
        s3 ^= s1;
        s1 ^= s2;
        s0 ^= s3;
        s2 ^= t;
        s3 = Long.rotateLeft(s3, 45);
        return result;
    }

    /**
     * Draws a uniformly random number below a bound, by Lemire's method.
     *
     * @param bound the bound; its 64 bits are read without a sign, and it is not 0
     * @return the number
     */
    public long below(long bound) {
        if (bound == 0) {
            throw new IllegalArgumentException("there is no number below 0");
        }
        long draw = nextLong();
        long low = draw * bound;
        if (Long.compareUnsigned(low, bound) < 0) {
            // This division is needed rarely if the bound is small.
            long threshold = Long.remainderUnsigned(-bound, bound);
            while (Long.compareUnsigned(low, threshold) < 0) {
                draw = nextLong();
                low = draw * bound;
            }
        }
        return highUnsigned(draw, bound);
    }

    /** The upper 64 bits of a product. Java has it for numbers with a sign only, before version 18. */
    private static long highUnsigned(long a, long b) {
        return Math.multiplyHigh(a, b) + (a >> 63 & b) + (b >> 63 & a);
    }

    /**
     * Draws a uniformly random place in something of this length.
     *
     * @param length the length, above 0
     * @return a number from 0 to the length, without the length
     */
    public int index(int length) {
        if (length <= 0) {
            throw new IllegalArgumentException("there is no place in something that is empty");
        }
        return (int) below(length);
    }

    /**
     * Draws a uniformly random number from 0 to 1, without 1.
     *
     * @return the number
     */
    public double unit() {
        return (nextLong() >>> 11) * 0x1.0p-53;
    }

    /**
     * Draws true with a probability.
     *
     * @param probability the probability, from 0 to 1
     * @return what was drawn
     */
    public boolean chance(double probability) {
        return unit() < probability;
    }

    /**
     * Puts a list into a uniformly random order.
     *
     * @param <T> the type of its items
     * @param list the list
     */
    public <T> void shuffle(List<T> list) {
        for (int last = list.size() - 1; last > 0; last--) {
            int other = index(last + 1);
            T item = list.get(last);
            list.set(last, list.get(other));
            list.set(other, item);
        }
    }
}
