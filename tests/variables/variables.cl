// SPDX-License-Identifier: MIT
// Program-scope variables: of every kind of initialiser, written by kernels, pointing at each other.
struct node {
    int value;
    global struct node *next;
};

global int counter = 5;
global int zero;
global float table[8] = {1, 2, 3};
global struct node last = {9, 0};
global struct node first = {7, &last};
global int *pointer = &counter;
global float *inside = &table[2];
constant int numbers[3] = {10, 20, 30};
constant int *constant chosen[2] = {&numbers[1], &numbers[2]};
constant int *global movable = &numbers[2];
global int *constant fixed_table[2] = {&zero, &counter};
global char3 three = (char3)(1, 2, 3);
global bool flag = true;
global ulong big[300000];
global double aligned __attribute__((aligned(256))) = 0.25;
static global long hidden = -4;
constant int alone[4] = {1, 2, 3, 4}; // reaches no variable: stays in the code

int next_number(void)
{
    static global int n = 100;
    return atomic_inc(&n);
}

kernel void change(global int *out)
{
    int i = get_global_id(0);
    atomic_add(&counter, 1);
    out[i] = next_number();
    if (i == 0) {
        zero = 42;
        hidden *= 2;
        flag = !flag;
        three.y = 9;
        movable = chosen[0];
        pointer = fixed_table[0];
        first.next = &first;
        last.value += alone[3];
        *inside += 0.5f;
    }
    big[i * 29] += i;
}

kernel void look(global int *out)
{
    out[0] = counter;
    out[1] = zero;
    out[2] = (int)(table[2] * 10);
    out[3] = first.next->value;
    out[4] = *pointer;
    out[5] = *movable;
    out[6] = (int)hidden;
    out[7] = flag;
    out[8] = three.x * 100 + three.y * 10 + three.z;
    out[9] = *chosen[1];
    out[10] = last.value;
    out[11] = last.next == 0;
    out[12] = *fixed_table[1] == counter;
    out[13] = (int)(aligned * 100) + (((ulong)&aligned & 255) != 0);
    out[14] = movable == &numbers[2];
    out[15] = (int)big[29 * 77];
    out[16] = inside == table + 2;
}

kernel void rows(global float *out)
{
    int i = get_global_id(0);
    out[i] = table[i & 7];
    big[i] = i;
}

// Pointers into arrays of several lengths, and null ones.
struct word {
    char letter;
    constant char *text;
    int length[2];
};
constant char *constant texts[4] = {"alpha", "be", "gamma!", 0};
constant struct word words[2] = {{'a', "xyz", {3, 4}}, {'b', "hello", {5, 6}}};
global int *nowhere = 0;
global struct word written[2] = {{'c', "q", {1, 2}}, {'d', 0, {7, 8}}};

kernel void read_texts(global int *out)
{
    int i = get_global_id(0), k = i & 1;
    int text = i % 4 < 3 ? texts[i % 4][1] : texts[i % 4] == 0;
    int other = written[k].text ? written[k].text[0] : 1;
    out[i] = text + 1000 * words[k].text[words[k].length[0] - 1] + 1000000 * (words[k].letter - 'a') +
             10000000 * (other == (k ? 1 : 'q')) + 20000000 * (nowhere == 0) +
             100000000 * (written[k].length[1] == 2 + 6 * k);
}
