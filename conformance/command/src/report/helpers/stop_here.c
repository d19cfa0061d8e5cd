/* Ends everything where the recorded run failed: this driver does not fail there, and the rest of that run would not end. */
static void stop_here(void) {
    for (int process = 1; process < PROCESSES; process++)
        look_after(process);
    if (*has_found)
        conclude(MISBEHAVES);
    say_that_it_behaves();
    conclude(BEHAVES);
}
