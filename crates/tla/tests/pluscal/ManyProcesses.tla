---- MODULE ManyProcesses ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm ManyProcesses
variables n = 0, turn \in {0, 1};
procedure long_procedure_number_one() begin one1: n := n + 1; return; end procedure
procedure long_procedure_number_two() begin two1: n := n + 2; return; end procedure
procedure long_procedure_number_three() begin three1: n := n + 3; return; end procedure
process the_first_process = 10 begin f1: call long_procedure_number_one(); end process
process the_second_process = 20 begin s1: call long_procedure_number_two(); end process
process the_third_process = 30 begin t1: call long_procedure_number_three(); end process
process the_fourth_process = 40 begin u1: await turn = 1; n := n + 1; end process
fair process a_set_of_processes \in { 1,
                                      2 }
begin v1: n := n + turn; end process
end algorithm
*)
====
